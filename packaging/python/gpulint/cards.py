"""Which card a run of pytest, or a worker of pytest-xdist, uses: a mask by UUID, set before anything initialises CUDA.

What the environment leaves is never widened: a mask of the caller is divided among the workers, and nothing else is.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

import pytest

MASK, ORDER = "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"
# What the process that starts the workers found out, for all of them.
CANDIDATES = "GPULINT_PYTEST_CARDS"
POLICIES = ("gpulint.yaml", "gpulint.yml")
# gpulint exec gives it to the command that it runs, and has the slot meanwhile.
UNDER_EXEC = "GPULINT_REPORT"
# Says which card it got, and has it until whoever started it is gone.
HOLD = "import os, sys; print(os.environ['CUDA_VISIBLE_DEVICES'], flush=True); sys.stdin.read()"


def program():
    """The binary of gpulint: that of this environment, else the first on PATH; None if there is none."""
    here = os.path.dirname(sys.executable)
    return shutil.which("gpulint", path=here) or shutil.which("gpulint")


def of_mask(mask, order, cards):
    """The devices that a mask leaves, as tokens of which each is a mask, and why they are not known (None if they are).

    mask, order: the two variables, None where they are not set. cards: the UUIDs of all cards, by PCI address.
    """
    if mask is None:
        return cards, None if cards else "NVML does not tell which cards there are"
    tokens = [token.strip() for token in mask.split(",")]
    if mask.strip() in ("", "-1", "NoDevFiles"):
        return [], None
    numbers = all(token.isdecimal() and token.isascii() for token in tokens)
    uuids = all(token.startswith("GPU-") for token in tokens)
    if not (numbers or uuids) or len(set(tokens)) < len(tokens):
        return [], "%s is `%s`, which is handed to all as it is" % (MASK, mask)
    if numbers and order == "PCI_BUS_ID" and all(int(token) < len(cards) for token in tokens):
        # The same card wherever it is counted.
        return [cards[int(token)] for token in tokens], None
    return tokens, None


def asked(folder):
    """What gpulint doctor says: the UUIDs of the cards that are to be used, or None if it does not say."""
    gpulint = program()
    if gpulint is None:
        return None
    try:
        said = subprocess.run([gpulint, "doctor", "--format", "json"], cwd=str(folder), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60)
        document = json.loads(said.stdout.decode("utf-8", "replace"))
        allowed = (document.get("verdict") or {}).get("allowed")
        if allowed:
            return [allowed["uuid"]]
        cards = document["machine"]["driver"]["answer"]["cards"]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, subprocess.SubprocessError):
        return None
    return [card["uuid"] for card in cards]


def _names_a_card(policy):
    try:
        with open(policy, encoding="utf-8") as file:
            return any(line.startswith("gpu:") for line in file)
    except (OSError, ValueError):
        return False


def candidates(folder):
    """The devices to divide among workers, and why there are none (None if there are, or if no GPU is to be used)."""
    told = asked(folder)
    if told is not None:
        return told, None
    folders = [str(folder)]
    while os.path.dirname(folders[-1]) != folders[-1]:
        folders.append(os.path.dirname(folders[-1]))
    policies = [os.path.join(one, name) for one in folders for name in POLICIES]
    policy = next((path for path in policies if _names_a_card(path)), None)
    if policy:
        return [], "the program gpulint does not tell which card %s allows" % policy
    from gpulint.driver import Nvml

    return of_mask(os.environ.get(MASK), os.environ.get(ORDER), Nvml().cards())


class Taken:
    """What a process was given. `mask`: what it was set to, or None. `why`: why it was given nothing, or None."""

    def __init__(self, mask=None, why=None, shared=0, slot=False):
        self.mask, self.why, self.shared, self.slot = mask, why, shared, slot
        self._holder = None

    def wait(self):
        """Waits for the slot of the card, if that was asked for, and has it from then on. pytest.exit if it is not to be had."""
        if not self.slot or self._holder or os.environ.get(UNDER_EXEC):
            return
        gpulint = program()
        if gpulint is None:
            pytest.exit("gpulint: --gpulint-cards slot needs the program gpulint, which is not beside Python and not on PATH", returncode=4)
        with tempfile.TemporaryFile() as errors:
            self._holder = subprocess.Popen([gpulint, "exec", "--", sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)
            mask = self._holder.stdout.readline().decode().strip()
            if not mask:
                code = self._holder.wait()
                errors.seek(0)
                said = errors.read().decode("utf-8", "replace").strip().splitlines()
                pytest.exit("gpulint: no slot: gpulint exec ended with %d: %s" % (code, said[-1] if said else "nothing was said"), returncode=4)
        os.environ[ORDER], os.environ[MASK], self.mask = "PCI_BUS_ID", mask, mask

    def give_back(self):
        if self._holder:
            # Its program reads to the end of this and ends then. It is not waited for: that ends when our memory is back.
            self._holder.stdin.close()


def take_ours(early_config):
    """Before anything of the project runs. What was taken is `early_config.gpulint_cards`."""
    known = early_config.known_args_namespace
    asked_for = known.gpulint_cards or early_config.getini("gpulint_cards") or "auto"
    number, workers = os.environ.get("PYTEST_XDIST_WORKER", ""), os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")
    early_config.gpulint_cards = Taken()
    if asked_for not in ("auto", "slot"):
        return
    is_worker = number.startswith("gw") and number[2:].isdecimal() and workers.isdecimal()
    starts_workers = bool(getattr(known, "numprocesses", None) or getattr(known, "tx", None)) and not is_worker
    if starts_workers:
        found, _ = candidates(early_config.invocation_params.dir)
        os.environ[CANDIDATES] = ",".join(found)
        return
    if is_worker or asked_for == "slot":
        inherited = os.environ.pop(CANDIDATES, None)
        if inherited:
            found, why = inherited.split(","), None
        else:
            found, why = candidates(early_config.invocation_params.dir)
        early_config.gpulint_cards = divided(found, why, int(number[2:]) if is_worker else 0, int(workers) if is_worker else 1, asked_for == "slot")
        mask = early_config.gpulint_cards.mask
        if mask:
            os.environ[MASK] = mask
            if mask.startswith("GPU-"):
                os.environ[ORDER] = "PCI_BUS_ID"


def divided(found, why, number, workers, slot=False):
    """What worker `number` of `workers` gets of these devices: in turn, so that none has more than one more than another."""
    if not found:
        return Taken(why=why, slot=slot)
    return Taken(found[number % len(found)], None, workers if workers > len(found) else 0, slot)
