"""Callbacks that another message may not cut in the middle, as Streamlit would."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest


def page(guarded: bool) -> None:
    """A button whose callback takes two steps; another message comes between them."""
    from contextlib import nullcontext

    import streamlit as st
    from streamlit.runtime.scriptrunner import RerunData, get_script_run_ctx

    from autodiff_viz.ui.whole import whole

    def both() -> None:
        with whole() if guarded else nullcontext():
            st.session_state["first"] = True
            get_script_run_ctx().script_requests.request_rerun(RerunData())
            st.session_state["second"] = True

    st.button("both", key="both", on_click=both)


@pytest.mark.parametrize("guarded", [True, False])
def test_a_callback_is_done_to_its_end_though_another_message_has_come(guarded):
    """Unguarded it is cut: if that ever ends, the guard can go."""
    app = AppTest.from_function(page, kwargs={"guarded": guarded}).run()
    app.button(key="both").click().run()
    assert ("first" in app.session_state, "second" in app.session_state) == (True, guarded)


def test_the_other_message_gets_its_run_afterwards():
    def page() -> None:
        import streamlit as st
        from streamlit.runtime.scriptrunner import RerunData, get_script_run_ctx

        from autodiff_viz.ui.whole import whole

        @whole()
        def pressed() -> None:
            st.session_state["pressed"] = True
            get_script_run_ctx().script_requests.request_rerun(RerunData(query_string="asked=again"))
            st.session_state["pressed"] = True

        st.button("go", key="go", on_click=pressed)
        st.session_state["asked"] = st.query_params.to_dict()

    app = AppTest.from_function(page).run()
    app.button(key="go").click().run()
    assert app.session_state["asked"] == {"asked": "again"}
