#!/usr/bin/env python3
"""Man pages and completions for bash, zsh and fish, made from what the program says of itself.

    manuals.py PROGRAM FOLDER       writes gravlab*.1.gz, gravlab.bash, _gravlab, gravlab.fish and changelog.gz there

Commands come from `list commands`, options from each command's help, values from `list parameters` and the other lists.
"""
import gzip
import json
import os
import re
import subprocess
import sys
import time

PROGRAM, FOLDER = sys.argv[1], sys.argv[2]


def output(*words):
    return subprocess.run([PROGRAM, *words], check=True, capture_output=True, text=True).stdout


def table(name):
    return json.loads(output("list", name, "--json"))


def names_of(name, known={}):
    """What a list names: each name once, in the order of the list."""
    if name not in known:
        known[name] = list(dict.fromkeys(row["name"] for row in table(name) if "name" in row))
    return known[name]


def values_in(text):
    """The words that a sentence allows: "auto, or fp32, mixed or fp64"; none where it describes numbers or prose."""
    found = re.findall(r"'gravlab list ([a-z]+)'", text)
    words = ["auto"] if text.startswith("auto, or") else []
    if found:
        return words + names_of(found[0])
    words = re.split(r", or |, | or | and ", re.sub(r" \[[^]]*\]$", "", text).split(": ")[-1])
    return words if len(words) > 1 and all(re.fullmatch(r"[a-z][a-z0-9-]*", word) for word in words) else []


PARAMETERS = {option: values_in(row["range"])
              for row in table("parameters") for option in re.findall(r"command line \((--[a-z-]+)\)", row["kept"])
              if values_in(row["range"]) and option not in ("--twin", "--overlay")}
FILES = re.compile(r"FILE|DIR|PATTERN|IN|OUT|SCRIPT")


class Option:
    def __init__(self, names, value, text):
        self.names, self.value, self.text = names, value, text
        long = next((name for name in names if name.startswith("--")), "")
        self.takes_file = bool(value and FILES.fullmatch(value)) or "FILE" in text.split(";")[0]
        self.values = []
        if value and value not in ("true", "false"):
            self.values = [v for v in PARAMETERS.get(long, []) if v not in ("true", "false")] or values_in(text)


class Command:
    def __init__(self, row):
        self.name, self.idea = row["name"], row["idea"]
        self.help = output(self.name, "--help")
        self.options, self.places, self.groups, self.examples, self.end = [], [], [], "", ""
        part = ""
        for line in self.help.splitlines():
            if re.fullmatch(r"[A-Z].*:", line):
                part = line[:-1]
                continue
            if line.startswith("Exit codes"):
                part = "end"
            row = re.match(r"  (\S.*?)(?:  +(\S.*))?$", line)
            if part == "end":
                self.end += line + "\n"
            elif part == "Examples":
                self.examples += line + "\n"
            elif part and row and row[1].startswith("-"):
                names, _, value = row[1].partition(" ")
                option = Option(names.split(","), value.replace(" ...", ""), row[2] or "")
                self.options.append(option)
                if not self.groups or self.groups[-1][0] != part:
                    self.groups.append((part, []))
                self.groups[-1][1].append(option)
            elif part == "Positionals" and row:
                self.places.append(Option([], row[1], row[2] or ""))

    def words(self):
        """What may stand where no option does."""
        return [word for place in self.places for word in place.values]


COMMANDS = [Command(row) for row in table("commands")]
VERSION = output("--version").split()[1]


# Man pages

def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in ".'" else line for line in text.split("\n"))


def packed(name, text):
    with open(os.path.join(FOLDER, name), "wb") as file:
        file.write(gzip.compress(text.encode(), mtime=0))


def page(name, idea, body):
    date = time.strftime("%Y-%m-%d", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))))
    packed(name + ".1.gz", f'.TH {name.upper()} 1 {date} "gravlab {VERSION}" "User commands"\n'
                           f".SH NAME\n{roff(name)} \\- {roff(idea)}\n" + body)


def option_list(options):
    return "".join(f".TP\n\\fB{roff(', '.join(o.names) or o.value)}\\fR"
                   f"{' ' + chr(92) + 'fI' + roff(o.value) + chr(92) + 'fR' if o.names and o.value else ''}\n{roff(o.text)}\n"
                   for o in options)


def manual_of(c):
    usage = " ".join(f"[\\fI{place.value}\\fR]" for place in c.places)
    body = f".SH SYNOPSIS\n\\fBgravlab {c.name}\\fR [\\fIOPTIONS\\fR] {usage}\n"
    if c.places:
        body += ".SH ARGUMENTS\n" + option_list(c.places)
    for name, options in c.groups:
        body += f".SH {roff(name.upper())}\n" + option_list(options)
    if c.examples:
        body += f".SH EXAMPLES\n.nf\n{roff(c.examples.rstrip())}\n.fi\n"
    return body + f".SH EXIT STATUS\n{roff(c.end.removeprefix('Exit codes: ').strip())}\n.SH SEE ALSO\n.BR gravlab (1)\n"


# Completions

def quoted(words):
    return " ".join(words)


def bash():
    cases, values = "", {}
    for c in COMMANDS:
        options = quoted(name for o in c.options for name in o.names)
        cases += f"        {c.name}) options='{options}' places='{quoted(c.words())}' ;;\n"
        for o in c.options:
            if o.value:
                for name in o.names:
                    values.setdefault((name, quoted(o.values)), []).append(c.name)
    rows = ""
    for (name, words), commands in sorted(values.items()):
        rows += f"        {' | '.join(c + '/' + name for c in commands)}) values='{words}' takes=yes ;;\n"
    return f"""# Completion of gravlab for bash. Generated from the program's own tables.
_gravlab() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} command= word options places values takes
    if [ "$current" = = ]; then
        current=
    elif [ "$before" = = ]; then # --option=value is three words
        before=${{COMP_WORDS[COMP_CWORD - 2]}}
    fi
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        case $word in
            {' | '.join(c.name for c in COMMANDS)}) command=$word && break ;;
        esac
    done
    case ${{command:-view}} in
{cases}    esac
    case ${{command:-view}}/$before in
{rows}    esac
    if [ -n "$takes" ]; then
        COMPREPLY=($(compgen -W "$values" -- "$current"))
    elif [[ $current == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$current"))
    else
        [ -n "$command" ] || places="$places {quoted(c.name for c in COMMANDS)}"
        mapfile -t COMPREPLY < <(compgen -W "$places" -- "$current"; compgen -f -- "$current")
    fi
}}
complete -o filenames -o bashdefault -o default -F _gravlab gravlab
"""


def zsh():
    def text(value):
        return re.sub(r"([\[\]:'])", lambda m: {"'": "’"}.get(m[0], "\\" + m[0]), value)

    cases = ""
    for c in COMMANDS:
        specs = []
        for o in c.options:
            action = "" if not o.value else f":{text(o.value)}:" + (
                f"({quoted(o.values)})" if o.values else "_files" if o.takes_file else " ")
            specs += [f"'*{name}{'=' if name.startswith('--') and o.value else ''}[{text(o.text)}]{action}'" for name in o.names]
        words = quoted(c.words())
        specs.append(f"'*:argument:_alternative \"words:word:({words})\" \"files:file:_files\"'" if words else "'*:file:_files'")
        cases += f"    {c.name}) _arguments {' '.join(specs)} ;;\n"
    commands = "\n".join(f"    '{c.name}:{text(c.idea)}'" for c in COMMANDS)
    return f"""#compdef gravlab
# Completion of gravlab for zsh. Generated from the program's own tables.
local -a commands=(
{commands}
)
local command=view at
for at in {{2..$((CURRENT - 1))}}; do
    if (( ${{commands[(I)${{words[at]}}:*]}} )); then
        command=${{words[at]}}
        words[at]=()
        (( CURRENT -= 1 ))
        break
    fi
done
if (( CURRENT == 2 )) && [[ $command == view && ${{words[2]}} != -* ]]; then
    _describe command commands
fi
case $command in
{cases}esac
"""


def fish():
    def text(value):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"

    lines = ["# Completion of gravlab for fish. Generated from the program's own tables."]
    everything = quoted(c.name for c in COMMANDS)
    for c in COMMANDS:
        lines.append(f"complete -c gravlab -n 'not __fish_seen_subcommand_from {everything}' -a {c.name} -d {text(c.idea)}")
    for c in COMMANDS:
        seen = f"__fish_seen_subcommand_from {c.name}"
        if c.name == "view":
            seen += f"; or not __fish_seen_subcommand_from {everything}"
        if c.words():
            lines.append(f"complete -c gravlab -n '{seen}' -a {text(quoted(c.words()))}")
        for o in c.options:
            flags = " ".join(f"-l {n[2:]}" if n.startswith("--") else f"-s {n[1:]}" for n in o.names)
            value = "" if not o.value else f" -x -a {text(quoted(o.values))}" if o.values else " -r" if o.takes_file else " -x"
            lines.append(f"complete -c gravlab -n '{seen}' {flags}{value} -d {text(o.text)}")
    return "\n".join(lines) + "\n"


os.makedirs(FOLDER, exist_ok=True)
overview = "".join(f".TP\n\\fBgravlab {c.name}\\fR\n{roff(c.idea)}, see\n.BR gravlab\\-{c.name} (1)\n" for c in COMMANDS)
page("gravlab", "a laboratory for gravity between many bodies, in real time",
     ".SH SYNOPSIS\n\\fBgravlab\\fR [\\fICOMMAND\\fR] [\\fIOPTIONS\\fR]\n.SH COMMANDS\n" + overview +
     f".SH EXIT STATUS\n{roff(COMMANDS[0].end.removeprefix('Exit codes: ').strip())}\n"
     ".SH FILES\n.TP\n$XDG_CONFIG_HOME/gravlab/config.toml\nwhat the window remembers\n"
     ".TP\n$XDG_STATE_HOME/gravlab\nautosaves, and what an interrupted run leaves\n"
     ".TP\n$XDG_CACHE_HOME/gravlab/tune.json\nwhat gravlab tune has found for this device\n")
for command in COMMANDS:
    page("gravlab-" + command.name, command.idea, manual_of(command))
for name, content in (("gravlab.bash", bash()), ("_gravlab", zsh()), ("gravlab.fish", fish())):
    with open(os.path.join(FOLDER, name), "w") as file:
        file.write(content)
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "CHANGELOG.md")) as file:
    packed("changelog.gz", file.read())
