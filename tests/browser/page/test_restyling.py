"""Test how much of the page is styled anew for an element that comes.

Plotly adds one to measure a text, and takes it away again, for each text of a figure.
"""

from __future__ import annotations

import json
from statistics import median

from playwright.sync_api import Browser, expect

from tests.browser.lab_page import LabPage

TEXTS = 50
FEW = 20  # elements; the page has some 2,000
MEASURE = f"""() => {{
  const place = document.body.appendChild(document.createElement("div"));
  for (let i = 0; i < {TEXTS}; i++) {{
    const text = place.appendChild(document.createElement("span"));
    text.textContent = `text ${{i}}`;
    text.getBoundingClientRect();
  }}
  place.remove();
}}"""


def test_a_text_that_is_measured_leaves_the_page_styled(browser: Browser, lab: LabPage):
    expect(lab.page.locator("#av-first")).to_have_count(0)
    browser.start_tracing(page=lab.page, categories=["devtools.timeline"])
    lab.page.evaluate(MEASURE)
    events = json.loads(browser.stop_tracing())["traceEvents"]
    styled = [event["args"].get("elementCount") for event in events if event["name"] == "UpdateLayoutTree"]
    styled = [count for count in styled if count is not None]  # the trace may begin or end within one
    assert len(styled) >= TEXTS
    assert median(styled) <= FEW
