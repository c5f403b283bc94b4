"""The plugin that pytest loads: its options, its mark, and nothing more until `--gpulint` is given.

Every run of pytest loads this file where gpulint is installed, so it imports little and changes nothing.
"""

import pytest

SETTINGS = [
    # name, kind of the ini option, help
    ("leak", None, "what a test that keeps GPU memory is: `repeat` (default) runs it again and fails it when it keeps more each time, "
                   "`strict` fails it at once, `report` fails nothing"),
    ("allow", None, "how much GPU memory a test may keep, such as 4MiB; 0 by default"),
    ("repeats", None, "how often a test that kept memory is run again; 5 by default, and leaks take that many to be told"),
    ("cards", None, "which GPU a worker of pytest-xdist gets: `auto` (default) one each, `slot` the same and it waits for gpulint's slot, "
                    "`keep` what the environment says"),
]
OLDEST = 8
MARK = (
    'gpulint(leak="allow 4MiB", mode="cpu"): how --gpulint judges this test. leak: "allow SIZE", "ignore", "strict" or "repeat"; '
    'mode="cpu": it must neither initialise CUDA nor import cupy, torch or numba.cuda'
)


def pytest_addoption(parser):
    group = parser.getgroup("gpulint", "GPU memory of tests (gpulint)")
    group.addoption("--gpulint", action="store_true", default=False, help="tell which tests leak GPU memory, and fail them")
    group.addoption("--gpulint-report", metavar="FILE", default=None, help="write what was measured to this file, as JSON")
    for name, kind, text in SETTINGS:
        group.addoption("--gpulint-" + name, metavar=name.upper(), default=None, help=text)
        parser.addini("gpulint_" + name, "see --gpulint-" + name, type=kind, default=None)
    parser.addini("gpulint_driver", "whether memory that only the driver counts is judged as well", type="bool", default=True)
    parser.addini(
        "gpulint_forbidden_imports",
        'modules that a test with mode="cpu" must not import; by default cupy, torch and numba.cuda',
        type="args",
        default=["cupy", "torch", "numba.cuda"],
    )


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config):
    # Before anything of the project runs, which could initialise CUDA.
    if early_config.known_args_namespace.gpulint:
        from gpulint import cards

        cards.take_ours(early_config)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    config.addinivalue_line("markers", MARK)
    if config.option.gpulint:
        if int(pytest.__version__.split(".")[0]) < OLDEST:
            raise pytest.UsageError("gpulint: --gpulint needs pytest %d or later, and this is %s" % (OLDEST, pytest.__version__))
        from gpulint.junit import Properties
        from gpulint.pytest_watch import Watch

        watch = Watch(config)
        config.pluginmanager.register(watch, "gpulint-watch")
        if not watch.worker:
            config.pluginmanager.register(Properties(watch), "gpulint-junit")
    elif config.option.gpulint_report is not None:
        raise pytest.UsageError("--gpulint-report needs --gpulint")
