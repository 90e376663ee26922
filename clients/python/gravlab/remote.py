"""A run that `gravlab serve` shows in browsers: the same Run, over HTTP."""

import base64
import http.client
import json
import threading
import urllib.error
import urllib.parse
import urllib.request

from .run import Ended, Failed, Picture, Refused, Run, _described, _numbers_of_block, _whole


def connect(address):
    """Joins a run of `gravlab serve`: the address is the one that it prints, with all that follows the '#'.

    The address after `drive:` reads and changes the run, that after `watch:` only reads. The run moves on by itself
    until run.do("set run.paused true").
    """
    parts = urllib.parse.urlsplit(address)
    token = urllib.parse.parse_qs(parts.fragment)
    if parts.scheme not in ("http", "https") or not (token.get("d") or token.get("v")):
        raise Refused("an address is that which 'gravlab serve' prints, such as http://127.0.0.1:7777/#d=...")
    page = urllib.parse.urlunsplit((parts.scheme, parts.netloc, parts.path.rsplit("/", 1)[0] + "/", parts.query, ""))
    return RemoteRun(page, (token.get("d") or token["v"])[0])


class RemoteRun(Run):
    """A Run of another process or machine. Bodies are read, and not replaced."""

    def __init__(self, page, token):
        self._page, self._token, self._open, self._lock = page, token, True, threading.RLock()
        self["step"]  # a wrong address is known now

    def _call(self, method, **params):
        if not self._open:
            raise Ended("the run is closed")
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        request = urllib.request.Request(urllib.parse.urljoin(self._page, "rpc"), body,
                                         {"Authorization": "Bearer " + self._token, "Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request) as answer:
                said = json.load(answer)
        except urllib.error.HTTPError as error:
            why = {401: "the secret in the address is not that of this run", 403: error.read().decode(errors="replace").strip()}
            raise Refused(why.get(error.code) or f"the run answers {error.code} {error.reason}") from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise Ended(f"no run answers at {self._page} ({error})") from None
        if "error" in said:
            raise Refused(said["error"]["message"])
        return said["result"]

    def do(self, line):
        """Does one line of a script and gives its value; see docs/scripts.md."""
        if not isinstance(line, str):
            raise Refused(f"a line of a script is a text, not {line!r}")
        return self._value(self._call("do", line=line))

    def _shared_now(self, arrays):
        said = self._call("bodies", arrays=",".join(arrays) or "header")
        self._value(said)
        return _numbers_of_block(base64.b64decode(said["block"]))

    def _put(self, given, bodies=None):
        raise Refused("bodies of a run in browsers are read alone; gravlab.open() starts one whose bodies can be replaced")

    def picture(self, width=1280, height=720):
        """A picture of the last complete step."""
        said = self._call("picture", width=_whole("a width", width), height=_whole("a height", height))
        return Picture(base64.b64decode(said["png"]))

    def changed(self, since=0):
        """The parameters that have changed since that revision, by path, and the revision now."""
        said = self._call("state", since=since)
        return said["values"], said["revision"]

    def help(self, what=""):
        """Prints what the parameters are whose path, label or idea has this text."""
        print(_described(self._call("schema")["parameters"], what))

    def close(self):
        """Leaves the run, which continues."""
        self._open = False

    def __repr__(self):
        return f"<gravlab run at {self._page}>" if self._open else "<gravlab run, closed>"
