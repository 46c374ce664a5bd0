"""Take the pictures of the README from a running dashboard.

Run `PORT=8600 make run`, and in another shell: .venv/bin/python tools/screenshots.py http://localhost:8600
"""

import io
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TOP))

from PIL import Image  # noqa: E402
from playwright.sync_api import Browser, expect, sync_playwright  # noqa: E402

from tests.browser import chromium  # noqa: E402

SHOTS = {
    "start-light.png": ("/", "light"),
    "start-dark.png": ("/", "dark"),
    "train.png": ("/Train?data=aucs", "light"),
    "compare.png": ("/Compare?data=aucs&compare.section=curves", "light"),
    "embedding.png": ("/Embedding?data=aucs", "light"),
    "network.png": ("/Network?data=aucs&relation=lunch", "light"),
    "predict.png": ("/Predict?data=aucs", "light"),
    "learn.png": ("/Learn", "light"),
}


def take(browser: Browser, url: str, name: str) -> None:
    """Take one picture of the full screen."""
    path, colours = SHOTS[name]
    page = browser.new_context(viewport={"width": 1366, "height": 768}, color_scheme=colours).new_page()
    page.goto(url + path)
    expect(page.get_by_role("heading", level=1)).to_be_visible(timeout=60_000)
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning", timeout=60_000)
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0, timeout=60_000)
    page.evaluate("document.fonts.ready")
    picture = Image.open(io.BytesIO(page.screenshot(animations="disabled")))
    # A palette of 128 colours reduces the file to a third, without a visible difference.
    picture.convert("RGB").quantize(128).save(TOP / "docs" / "images" / name, optimize=True)


if __name__ == "__main__":
    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader"]
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=flags)
        for shot in SHOTS:
            take(browser, sys.argv[1].rstrip("/"), shot)
        browser.close()
