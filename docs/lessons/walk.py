#!/usr/bin/env python3
"""Goes through lessons in the real window, as somebody does who presses "Show me" and answers right, and takes a picture of each.

    docs/lessons/walk.py [-p PROGRAM] [-t FOLDER] [-s SIZE] [-a] [NAME ...]

-t: where NAME.jpg is written (that of this script). -s: of the window (1280x720). -a: a picture of every step, NAME-STEP.jpg. Without
names all lessons of the program, and list.jpg and present.jpg: the list of lessons, and a lesson in large type. A display of its own is opened, which XVFB names where it is not Xvfb; pictures need ffmpeg. The
picture of a lesson is that of its last step that can be gone through here. Ends with 1 where a step was not reached within its time, and says which.
"""
import argparse, json, os, re, shlex, subprocess, sys, tempfile, time, tomllib

LIMIT = 150.0  # of a step [s]


class Window:
    def __init__(self, program, display, size, home):
        environment = dict(os.environ, DISPLAY=display, HOME=home, XDG_CONFIG_HOME=home, XDG_STATE_HOME=home)
        self.process = subprocess.Popen([program, "play", "-", "two-body", "--window", "--size", size], env=environment,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the program ended at '{line}'")
        return json.loads(answer)

    def get(self, path):
        return self.ask("get " + path).get("value")

    def close(self):
        try:
            self.ask("do quit")
        except (RuntimeError, BrokenPipeError):
            pass
        self.process.stdin.close()
        self.process.wait(20)


def right_answers(lesson):
    """The right answers of each step: of its prediction and of its question. A worked number that is no plain sum stays 1."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../assets/lessons", lesson + ".toml"), "rb") as file:
        steps = tomllib.load(file)["step"]
    plain = lambda answer: eval(answer) if re.fullmatch(r"[0-9.+*/() -]+", answer) else 1
    number = lambda answer: plain(answer) if isinstance(answer, str) else answer
    return [{key: number(step[key]["answer"]) for key in ("predict", "question") if key in step} for step in steps]


def show_list(window, take):
    window.ask("do lessons")
    window.ask("wait seconds 1")
    take(1, True)
    return []


def present(window, take):
    missed = walk(window, "simd-threads", lambda step, lived: None, 3)
    window.ask("do lesson-large")
    window.ask("wait seconds 1")
    take(1, True)
    return missed


def walk(window, lesson, take, last=None):
    """Gives the numbers of the steps that were not reached."""
    missed = []
    answers = right_answers(lesson)
    window.ask("do lesson " + lesson)
    window.ask("wait seconds 0.5")
    steps = last or int(window.get("lesson.steps"))
    for step in range(1, steps + 1):
        window.ask(f"do lesson-step {step}")
        window.ask("wait seconds 0.3")
        begun, shown, answered = time.monotonic(), False, None
        while True:
            phase = window.get("lesson.phase")
            if phase in ("predict", "question") and answered != phase:
                window.ask(f"do lesson-answer {answers[step - 1].get(phase, 1)}")
                answered = phase
            elif phase in ("begin", "act") and not shown:
                shown = window.ask("do lesson-show").get("status") == "applied"
            if phase == "done":
                break
            if time.monotonic() - begun > LIMIT:
                missed.append((step, phase))
                break
            window.ask("wait seconds 0.2")
        window.ask("wait seconds 0.6")
        take(step, shown or answered is not None)
    return missed


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("-p", "--program", default="gravlab")
    options.add_argument("-t", "--to", default=here)
    options.add_argument("-s", "--size", default="1280x720")
    options.add_argument("-a", "--all", action="store_true")
    options.add_argument("names", nargs="*")
    asked = options.parse_args()
    names = asked.names or [row["name"] for row in
                            json.loads(subprocess.check_output([asked.program, "list", "lessons", "--json"]))] + ["list", "present"]
    worst = 0
    with tempfile.TemporaryDirectory() as folder:
        read, write = os.pipe()
        server = subprocess.Popen(shlex.split(os.environ.get("XVFB", "Xvfb")) +
                                  ["-displayfd", str(write), "-screen", "0", asked.size + "x24", "-fbdir", folder,
                                   "+extension", "GLX"], pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(write)
        display = ":" + os.fdopen(read).readline().strip()
        try:
            for name in names:
                def take(step, lived):
                    target = f"{name}-{step}" if asked.all else name
                    if not asked.all and not lived:  # not on this machine
                        return
                    for quality in ("3", "4", "6", "8", "11", "15"):  # the best that stays below 80 KB
                        path = os.path.join(asked.to, target + ".jpg")
                        subprocess.run(["ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-f", "xwd_pipe", "-i",
                                        os.path.join(folder, "Xvfb_screen0"), "-q:v", quality, path], check=True)
                        if os.path.getsize(path) <= 80000:
                            break

                home = os.path.join(folder, "home-" + name)
                os.makedirs(home)
                begun = time.monotonic()
                window = Window(asked.program, display, asked.size, home)
                try:
                    missed = (show_list(window, take) if name == "list" else present(window, take) if name == "present" else
                              walk(window, name, take))
                finally:
                    window.close()
                for step, phase in missed:
                    worst = 1
                    print(f"{name}: step {step} stayed at {phase}")
                print(f"{name}: {time.monotonic() - begun:.0f} s", flush=True)
        finally:
            server.terminate()
    return worst


if __name__ == "__main__":
    sys.exit(main())
