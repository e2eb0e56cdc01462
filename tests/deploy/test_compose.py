"""Test that deploy/compose.yaml and deploy/README.md fit the Dockerfile, nginx.conf and the app."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from inspect import signature

import uvicorn
import yaml

from autodiff_viz.standalone.posters import FIGURES
from autodiff_viz.ui.server.admission import FRAMES, HOSTS, VISITORS
from autodiff_viz.ui.server.heartbeat import MEMORY, SECONDS, SILENCE
from autodiff_viz.ui.server.routes import ROUTES
from autodiff_viz.ui.worker_jobs import WORKERS
from autodiff_viz.workers.disk_cache import VARIABLE as CACHE
from tests.browser.server import ROOT
from tests.deploy.image import stages

FOLDER = ROOT / "deploy"
SERVICES = yaml.safe_load((FOLDER / "compose.yaml").read_text("utf-8"))["services"]
NGINX = (FOLDER / "nginx.conf").read_text("utf-8")
GUIDE = (FOLDER / "README.md").read_text("utf-8")
SECRET = "STREAMLIT_SERVER_COOKIE_SECRET"


def test_each_service_is_built_from_a_stage_of_the_dockerfile():
    for service in SERVICES.values():
        build = service["build"]
        context = (FOLDER / build["context"]).resolve()
        assert context == ROOT
        assert (context / build["dockerfile"]).is_file()
        assert build.get("target", "app") in stages()


def test_nginx_finds_the_replicas_where_the_app_listens():
    (name, port) = re.findall(r"^\s*server (\w+):(\d+)", NGINX, re.M)[0]
    app = stages()["app"]
    assert name in SERVICES
    assert [port] == app.rests("EXPOSE")
    assert app.command[app.command.index("--port") + 1] == port
    assert int(SERVICES[name]["deploy"]["replicas"].strip("${}").partition(":-")[2]) > 1


def test_visitors_come_in_through_nginx_alone_when_the_replicas_are_warm():
    (listens,) = re.findall(r"listen (\d+);", NGINX)
    assert [service for service, found in SERVICES.items() if "ports" in found] == ["proxy"]
    assert SERVICES["proxy"]["ports"][0].endswith(f":{listens}")
    assert stages()["proxy"].rests("EXPOSE") == [listens]
    assert SERVICES["proxy"]["depends_on"]["app"]["condition"] == "service_healthy"


def test_nginx_leaves_a_replica_that_answers_nobody_before_its_watchdog_kills_it_and_until_then():
    """And what has stopped one replica is not passed on to the next one."""
    seconds = [int(found) for found in re.findall(r"^  proxy_read_timeout (\d+)s;", NGINX, re.M)]
    (left,) = (int(found) for found in re.findall(r"server app:8501 max_fails=1 fail_timeout=(\d+)s;", NGINX))
    assert [one < SECONDS < one + left for one in seconds] == [True]
    again = re.findall(r"proxy_next_upstream (.*);", NGINX)
    assert again
    assert [words for words in again if "timeout" in words.split()] == []
    assert "proxy_next_upstream_tries 2;" in NGINX


def test_nginx_closes_idle_connections_before_the_app_does():
    """What is sent on one that the app closes just then fails, and for a while nobody is sent there."""
    (idle,) = re.findall(r"^    keepalive_timeout (\d+)s;", NGINX, re.M)
    assert 0 < int(idle) < signature(uvicorn.Config).parameters["timeout_keep_alive"].default
    assert "--timeout-keep-alive" not in stages()["app"].command


def test_a_replica_has_a_limit_of_memory_and_is_started_again_when_it_ends():
    app = SERVICES["app"]
    assert app["mem_limit"] == app["memswap_limit"] == "${MEMORY:-3g}"
    assert {service["restart"] for service in SERVICES.values()} == {"unless-stopped"}


def test_containers_may_write_only_where_they_must():
    app = stages()["app"]
    for service in SERVICES.values():
        assert service["read_only"] is True
        assert service["tmpfs"] == ["/tmp"]
        assert service["cap_drop"] == ["ALL"]
    (cache,) = [volume.partition(":")[2] for volume in SERVICES["app"]["volumes"]]
    assert [cache] == app.rests("VOLUME")
    assert app.variables[CACHE] == cache
    written = re.findall(r"(?:_path|pid) (\S+);", NGINX)
    assert written
    assert [path for path in written if not path.startswith("/tmp/")] == []


def test_replicas_share_a_secret_that_streamlit_reads_under_uvicorn_too():
    assert SERVICES["app"]["environment"][SECRET].startswith("${COOKIE_SECRET:?")
    ask = "from streamlit import config; print(config.get_option('server.cookieSecret'))"
    env = {**os.environ, SECRET: "the same for all"}
    said = subprocess.run([sys.executable, "-c", ask], env=env, capture_output=True, text=True, check=True)
    assert said.stdout.strip().endswith("the same for all")


def test_the_variables_that_are_told_are_those_that_are_read():
    app = SERVICES["app"]["environment"]
    assert {SECRET, VISITORS, HOSTS, FRAMES} == {*app}
    for name in (*app, WORKERS, "FORWARDED_ALLOW_IPS", CACHE, FIGURES, SILENCE, MEMORY):
        assert f"`{name}`" in GUIDE


def test_the_kubernetes_example_is_yaml_and_asks_paths_that_the_app_has():
    blocks = re.findall(r"```yaml\n(.*?)```", GUIDE, re.S)
    found = {part["kind"]: part for block in blocks for part in yaml.safe_load_all(block) if "kind" in part}
    assert {*found} == {"Ingress", "Service", "Deployment"}
    (container,) = found["Deployment"]["spec"]["template"]["spec"]["containers"]
    assert container["readinessProbe"]["httpGet"]["path"] in {route.path for route in ROUTES}
    ports = {container["ports"][0]["containerPort"], found["Service"]["spec"]["ports"][0]["port"]}
    assert {str(port) for port in ports} == {*stages()["app"].rests("EXPOSE")}
    mounted = {mount["mountPath"] for mount in container["volumeMounts"]}
    assert stages()["app"].variables[CACHE] in stages()["app"].rests("VOLUME")
    assert {"name": CACHE, "value": "off"} in container["env"]  # an emptyDir would be refused
    assert mounted == {"/tmp"}
