# The dashboard as a container: not root, and nothing but /data, /cache and /tmp is written. docs/deploy.md describes it.
#
#   docker build --tag mrwtd .
#   docker run --init --read-only --tmpfs /tmp --volume mrwtd-data:/data --volume mrwtd-cache:/cache \
#       --publish 127.0.0.1:8501:8501 mrwtd

FROM python:3.11-slim-bookworm

RUN groupadd --gid 10001 mrwtd \
    && useradd --uid 10001 --gid mrwtd --home-dir /data --no-create-home --shell /usr/sbin/nologin mrwtd \
    && install --directory --owner mrwtd --group mrwtd --mode 0700 /data /cache

WORKDIR /app

# Versions and hashes are fixed. Only wheels: no code of a package runs while it is installed.
COPY requirements.lock ./
RUN python3 -m venv /venv \
    && /venv/bin/pip install --no-cache-dir --require-hashes --only-binary :all: -r requirements.lock

COPY . ./
RUN /venv/bin/python -m compileall -q /app

# MRWTD_HOME: the workspaces, which are backed up. NUMBA_CACHE_DIR: compiled functions, which may be deleted.
ENV PATH=/venv/bin:/usr/local/bin:/usr/bin:/bin \
    PYTHONPATH=/app \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    HOME=/cache \
    MRWTD_HOME=/data \
    NUMBA_CACHE_DIR=/cache/numba

USER 10001:10001
VOLUME ["/data", "/cache"]
EXPOSE 8501

# STREAMLIT_SERVER_BASE_URL_PATH is the base path behind a proxy, such as mrwtd.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD python -c "from urllib.request import urlopen; import sys; urlopen(sys.argv[1], timeout=4)" \
        "http://127.0.0.1:8501${STREAMLIT_SERVER_BASE_URL_PATH:+/$STREAMLIT_SERVER_BASE_URL_PATH}/_stcore/health"

ENTRYPOINT ["python", "-m", "mrwtd"]
CMD ["dashboard", "--address", "0.0.0.0", "--port", "8501"]
