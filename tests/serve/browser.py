#!/usr/bin/env python3
"""`gravlab serve` in a real browser: browser.py BINARY [--picture FILE.png] [--size WxH]

Chromium is driven by its own protocol over a pipe, so that no package of a driver is needed. Without Chromium the test is
skipped and says so. `--picture` writes what the driver's page looks like.
"""
import argparse
import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

PATIENCE = 60  # seconds for any one thing, however busy the machine is


class Browser:
    """Chromium without a window."""

    def __init__(self, program, folder, size):
        ours, theirs = os.pipe(), os.pipe()
        os.set_inheritable(ours[0], True)
        os.set_inheritable(theirs[1], True)

        def prepare():  # the browser reads descriptor 3 and writes 4
            os.dup2(ours[0], 103)
            os.dup2(theirs[1], 104)
            os.dup2(103, 3)
            os.dup2(104, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--disable-quic", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
             "--disable-gpu", "--host-resolver-rules=MAP lab.test 127.0.0.1", f"--window-size={size[0]},{size[1]}", f"--user-data-dir={folder}", "about:blank"],
            preexec_fn=prepare, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(ours[0])
        os.close(theirs[1])
        self.to, self.back, self.number, self.rest = ours[1], os.fdopen(theirs[0], "rb", 0), 0, b""

    def call(self, method, session=None, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.rest:
                more = self.back.read(1 << 20)
                assert more, "the browser has ended"
                self.rest += more
            one, _, self.rest = self.rest.partition(b"\0")
            answer = json.loads(one)
            if answer.get("id") == self.number:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]

    def close(self):
        self.process.kill()
        self.process.wait()


class Page:
    def __init__(self, browser, url, size):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank", newWindow=True)["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.resize(*size)
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)
        self.call("Page.navigate", url=url)

    def call(self, method, **params):
        return self.browser.call(method, self.session, **params)

    def resize(self, width, height, ratio=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=ratio, mobile=False)

    def value(self, text):
        result = self.call("Runtime.evaluate", expression=text, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, (text, result["exceptionDetails"])
        return result["result"].get("value")

    def until(self, text):
        """Waits until the expression holds, and gives its value."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            value = self.value(f"(() => {{ try {{ return {text}; }} catch (e) {{ return null; }} }})()")
            if value:
                return value
            time.sleep(0.02)
        raise AssertionError(f"never: {text}; {self.value('JSON.stringify(window.gravlab)')} {self.value('document.body.innerText')}")

    def shown(self):
        """Waits for the picture after the last input."""
        self.until("sentAt.size === 0")

    def rests(self):
        """Waits until the picture rests: it has come in full quality, and none follows it."""
        assert self.value(f"""new Promise(done => {{
            let pictures = -1, looks = 0;
            const timer = setInterval(() => {{
                const rests = seen.stills > 0 && seen.pictures === pictures;
                if (rests || ++looks > {4 * PATIENCE}) {{ clearInterval(timer); done(rests); }}
                pictures = seen.pictures;
            }}, 250);
        }})"""), "a picture that does not change is sent again"

    def drag(self, *places):
        self.mouse("mousePressed", *places[0], True)
        for place in places[1:]:
            self.mouse("mouseMoved", *place, True)
        self.shown()
        self.mouse("mouseReleased", *places[-1])

    def touch(self, *fingers):
        """Each argument is the places of all fingers at one time; none ends the touch."""
        for number, places in enumerate([*fingers, []]):
            self.call("Input.dispatchTouchEvent", type="touchStart" if number == 0 or len(places) > len(fingers[number - 1])
                      else "touchMove" if places else "touchEnd", touchPoints=[{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(places)])

    def middle(self, control):
        """Of a control, by its name in the panels."""
        box = f"items.get('{control}').box"
        return self.until(f"[({box}[0] + {box}[2]) / 2 * box.scale, ({box}[1] + {box}[3]) / 2 * box.scale]")

    def mouse(self, kind, x, y, down=False):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left" if down or kind == "mouseReleased" else "none",
                  buttons=int(down), clickCount=1)

    def key(self, code, key, text=""):
        number = {"Enter": 13, "Tab": 9, "Space": 32}.get(code, ord(key.upper()) if len(key) == 1 else 0)
        self.call("Input.dispatchKeyEvent", type="keyDown", code=code, key=key, windowsVirtualKeyCode=number,
                  **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", code=code, key=key, windowsVirtualKeyCode=number)


def rpc(page, token, method, **params):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    request = urllib.request.Request(page + "rpc", body, {"Authorization": "Bearer " + token, "Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        said = json.load(answer)
    assert "error" not in said and said["result"].get("status", "applied") == "applied", said
    return said["result"]


def test(binary, chromium, folder, picture, size):
    served = subprocess.Popen([binary, "serve", "plummer", "-n", "2000", "--backend", "cpu", "--port", "0", "--size",
                               f"{size[0]}x{size[1]}", "--autosave", "0", "--fps", "30", "--host-name", "lab.test"],
                              stdout=subprocess.PIPE, text=True)
    browser = Browser(chromium, folder, size)
    try:
        drive, watch = (served.stdout.readline().split(": ", 1)[1].strip() for _ in range(2))
        address, _, token = drive.partition("#d=")
        get = lambda path: rpc(address, token, "do", line="get " + path)["value"]

        driver = Page(browser, drive, size)
        driver.until("gravlab.video > 2 && gravlab.me === gravlab.driver")
        assert "#" not in driver.value("location.href"), "the token stays in the address"
        # A picture of bodies: neither black nor white.
        light = driver.value("(() => { const p = paint.getImageData(0, 0, canvas.width, canvas.height).data; let sum = 0;"
                             " for (let i = 0; i < p.length; i += 4) sum += p[i + 1]; return sum / p.length * 4; })()")
        assert 3 < light < 150, light

        if picture:
            rpc(address, token, "do", line="set run.scene collision")
            rpc(address, token, "do", line="set run.bodies 8192")
            rpc(address, token, "do", line="wait run.time > 0.4 within 60")
            rpc(address, token, "do", line="set run.paused true")
            driver.rests()
            with open(picture, "wb") as file:
                file.write(base64.b64decode(driver.call("Page.captureScreenshot", format="png")["data"]))
            return

        before = get("camera.azimuth")
        x, y = size[0] // 2, size[1] // 2
        driver.drag(*((x + 15 * step, y) for step in range(6)))
        driver.shown()
        assert get("camera.azimuth") != before, "the mouse has not turned the picture"

        # A control by its name, by keys alone, through the layer for readers of screens.
        assert get("run.paused") is False
        driver.until("document.querySelector('#controls [role=button][aria-label=Pause]').focus() || true")
        driver.key("Enter", "Enter")
        rpc(address, token, "do", line="wait run.paused == true")
        number = "document.querySelector('#controls input[data-name=\"run.speed\"]')"
        driver.until(f"{number}.focus() || true")
        driver.call("Runtime.evaluate", expression=f"{number}.select()")
        driver.call("Input.insertText", text="0.07")
        driver.key("Enter", "Enter")
        rpc(address, token, "do", line="wait run.speed == 0.07 within 20")

        driver.rests()
        slider, field = driver.middle("run.bodies"), driver.middle("run.speed")
        driver.drag(slider, (slider[0] - 8, slider[1]), (slider[0] - 16, slider[1]))
        rpc(address, token, "do", line="wait run.bodies < 2000 within 20")
        few = get("run.bodies")
        driver.until(f"items.get('run.bodies').element.getAttribute('aria-valuenow') == {few}")
        driver.value("items.get('run.bodies').element.focus()")
        driver.key("ArrowRight", "ArrowRight")
        rpc(address, token, "do", line=f"wait run.bodies == {2 * few} within 20")
        driver.value("canvas.focus()")

        # Plain http under another name has no decoder of video.
        plain = Page(browser, watch.replace("127.0.0.1", "lab.test"), size)
        plain.until("gravlab.jpeg > 0 && document.body.innerText.includes('not secure')")
        assert plain.value("gravlab.video") == 0

        viewer = Page(browser, watch, size)
        viewer.until("gravlab.pictures > 0 && gravlab.me > 0")
        driver.mouse("mouseMoved", x, y)
        viewer.until("$('pointer').style.display === 'block'")
        before = get("camera.azimuth")
        viewer.value("send({t: 'input', n: 1, events: [{type: 'wheel', dy: 5}]})")
        for who, line, why in ((watch.partition("#v=")[2], "set look.glow 0.5", "watching"),
                               (token, "do own-open own.cu", "--allow-kernels")):
            try:
                rpc(address, who, "do", line=line)
                raise AssertionError(line + " was not refused")
            except AssertionError as refusal:
                assert why in str(refusal), refusal
        assert get("camera.azimuth") == before
        viewer.value("$('wheel').click()")
        driver.until("[...document.querySelectorAll('#people button')].some(one => one.click() || true)")
        viewer.until("gravlab.driver === gravlab.me")

        # A driver who is not the host undoes what the driver before did, and does not end the program.
        viewer.value("canvas.focus()")
        for code, key, number in (("KeyQ", "q", 81), ("KeyZ", "z", 90)):
            for kind in ("keyDown", "keyUp"):
                viewer.call("Input.dispatchKeyEvent", type=kind, code=code, key=key, modifiers=2, windowsVirtualKeyCode=number)
        end = time.monotonic() + PATIENCE
        while get("run.bodies") == 2 * few:
            assert time.monotonic() < end, "nothing was undone"
        assert served.poll() is None

        # The same seat after a broken connection.
        me = viewer.value("gravlab.me")
        viewer.value("seen.pictures = 0; socket.close()")
        viewer.until(f"gravlab.pictures > 0 && gravlab.me === {me} && gravlab.driver === {me}")
        driver.value("$('wheel').click()")  # a host takes it
        driver.until("gravlab.me === gravlab.driver")
        # Keys that are down when the page loses the focus are up.
        place = get("camera.target")
        driver.value("canvas.focus()")
        driver.call("Input.dispatchKeyEvent", type="keyDown", code="KeyD", key="d", windowsVirtualKeyCode=68)
        rpc(address, token, "do", line="wait run.paused == true")
        driver.shown()
        driver.value("dispatchEvent(new Event('blur'))")
        driver.rests()
        assert get("camera.target") != place, "a key moves the camera"
        driver.call("Input.dispatchKeyEvent", type="keyUp", code="KeyD", key="d", windowsVirtualKeyCode=68)

        # Touch, on a display with small pixels.
        driver.resize(size[0] // 2, size[1] // 2, 2)
        driver.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=2)
        driver.until(f"canvas.width === {size[0]} && box.scale === 0.5")
        x, y = 2 * size[0] // 5, size[1] // 3  # beside the panels
        for fingers, changed, same in (
                ([[(x + 6 * i, y)] for i in range(5)], "camera.azimuth", "camera.distance"),
                ([[(x, y)]] + [[(x, y), (x + 20 + 6 * i, y)] for i in range(5)], "camera.distance", "camera.azimuth")):
            before = get(changed), get(same)
            driver.touch(*fingers)
            driver.shown()
            assert get(changed) != before[0] and get(same) == before[1], (changed, same)
        before = get("camera.target"), get("camera.azimuth")
        driver.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        driver.until("held === 1")
        driver.call("Input.dispatchTouchEvent", type="touchMove", touchPoints=[{"x": x + 30, "y": y}])
        driver.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        driver.shown()
        assert get("camera.target") != before[0] and get("camera.azimuth") == before[1], "a long press pans"
        driver.call("Emulation.setTouchEmulationEnabled", enabled=False)
        driver.resize(*size)
        driver.until(f"canvas.height === {size[1]} && box.scale === 1")

        # A lesson's step, by its buttons.
        rpc(address, token, "do", line="do lesson order")
        driver.until("items.has('lesson-next')")
        driver.rests()  # the panel has found its place
        driver.value("items.get('lesson-next').element.focus()")
        driver.key("Enter", "Enter")
        rpc(address, token, "do", line="wait lesson.step == 2 within 20")
        rpc(address, token, "do", line="do lesson-close")
        assert not driver.value("gravlab.error") and not viewer.value("gravlab.error")
        served.terminate()
        served.wait(PATIENCE)
        driver.until("document.body.innerText.includes('ended')")
    finally:
        browser.close()
        served.kill()
        served.wait()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--picture")
    parser.add_argument("--size", default="960x540")
    given = parser.parse_args()
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if not chromium:
        print("SKIPPED: no chromium is installed (Debian: apt install chromium), so no browser was tried")
        return 77
    with tempfile.TemporaryDirectory(prefix="gravlab-browser-", ignore_cleanup_errors=True) as folder:
        begun = time.monotonic()
        test(given.binary, chromium, folder, given.picture, [int(one) for one in given.size.split("x")])
        print(f"passed in {time.monotonic() - begun:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
