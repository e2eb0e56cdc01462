"""Test what all browser tests rely on: requests to other hosts and errors on the console are noticed,
and a page that cannot be reset is loaded anew.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.conftest import watched
from tests.browser.shared_page import SharedPage


def test_a_request_to_another_host_and_errors_are_noticed(context: BrowserContext, address: str):
    page = context.new_page()
    page.route("https://example.org/**", lambda route: route.abort())  # so that nothing leaves this machine
    bare = f"{address}/bare"  # a page of the app would not even ask: its content security policy forbids it
    page.route(bare, lambda route: route.fulfill(body="", content_type="text/html"))
    page.goto(bare)
    abroad, said = watched(page)
    with page.expect_event("requestfailed"):
        page.evaluate("() => void fetch('https://example.org/x').catch(() => {})")
    with page.expect_event("pageerror"):
        page.evaluate("() => void setTimeout(() => { throw new Error('thrown'); })")
    with page.expect_console_message(lambda message: message.text == "complained"):
        page.evaluate("console.error('complained')")
    assert abroad == ["https://example.org/x"]
    assert [text for text in said if text in ("thrown", "complained")] == ["thrown", "complained"]
    page.close()


@pytest.mark.nightly
def test_a_shared_page_is_reused_only_in_its_first_state(context: BrowserContext, address: str):
    shared = SharedPage(context, address, watched)
    shared.take().press("s")  # an edit, after which this browser is greeted no more
    shared.close()
    lab = shared.take()
    lab.select("b")
    lab.press("s")
    lab.add("tanh")
    again = shared.take()
    assert again is lab  # all of it was undone
    assert lab.names() == {"x", "y", "a", "b", "exp_1", "z"}
    expect(lab.cotangent("y")).not_to_have_text("0")
    lab.open_settings()
    box = lab.page.get_by_role("spinbutton", name="Seed cotangent")
    box.fill("2")
    box.press("Enter")
    expect(lab.cotangent("z")).to_have_text("2")
    another = shared.take()
    assert another is not lab  # no undo takes back a seed
    expect(another.cotangent("z")).to_have_text("1")
    lab = another
    lab.formula.fill("x = sinn(")
    lab.formula.press("Control+Enter")
    assert shared.take() is not lab  # an unfinished text is in no history
    shared.close()
