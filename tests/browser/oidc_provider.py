"""A small OpenID provider on this computer, at which anybody can log in as anybody."""

import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "mrwtd", "only-for-tests"
USERS = ("ann", "bob")


class Provider(ThreadingHTTPServer):
    """The provider: its address is the issuer of the tokens."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.issuer = f"http://127.0.0.1:{self.server_port}"
        self.key = RSAKey.generate_key(2048, parameters={"use": "sig", "alg": "RS256", "kid": "1"})
        self.logins: dict[str, dict[str, str]] = {}

    def id_token(self, user: str, nonce: str) -> str:
        now = int(time.time())
        claims = {"iss": self.issuer, "sub": user, "aud": CLIENT, "iat": now, "exp": now + 600, "nonce": nonce}
        return jwt.encode({"alg": "RS256", "kid": "1"}, claims | {"name": user.capitalize()}, self.key)


class Handler(BaseHTTPRequestHandler):
    server: Provider

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        issuer = self.server.issuer
        if url.path == "/.well-known/openid-configuration":
            self.send_json(
                {
                    "issuer": issuer,
                    "authorization_endpoint": f"{issuer}/authorize",
                    "token_endpoint": f"{issuer}/token",
                    "jwks_uri": f"{issuer}/keys",
                    "code_challenge_methods_supported": ["S256"],
                    "id_token_signing_alg_values_supported": ["RS256"],
                }
            )
        elif url.path == "/keys":
            self.send_json({"keys": [self.server.key.as_dict(private=False)]})
        elif url.path == "/authorize" and query.get("client_id") == CLIENT:
            links = (f'<a href="/chosen?{urlencode(query | {"user": user})}">{user}</a>' for user in USERS)
            self.send_content("text/html", "<h1>Who are you?</h1>" + " ".join(links))
        elif url.path == "/chosen":
            code = secrets.token_hex(8)
            self.server.logins[code] = query
            self.send_response(302)
            answer = urlencode({"code": code, "state": query["state"]})
            self.send_header("Location", f"{query['redirect_uri']}?{answer}")
            self.end_headers()
        else:
            self.send_error(404)

    def do_POST(self) -> None:
        sent = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        login = self.server.logins.pop(sent["code"][0])
        token = self.server.id_token(login["user"], login["nonce"])
        self.send_json({"access_token": "none", "token_type": "Bearer", "expires_in": 600, "id_token": token})

    def send_json(self, content: Any) -> None:
        self.send_content("application/json", json.dumps(content))

    def send_content(self, kind: str, text: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *args: object) -> None:
        pass


@contextmanager
def running_provider() -> Iterator[Provider]:
    provider = Provider()
    thread = threading.Thread(target=provider.serve_forever)
    thread.start()
    try:
        yield provider
    finally:
        provider.shutdown()
        thread.join()
        provider.server_close()
