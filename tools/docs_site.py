"""Hooks of MkDocs: which files of the repository the site is made of, and where they go.

The Markdown files stay where GitHub shows them, and link to each other by their paths in the repository. The
site keeps these paths to resolve links, and drops `docs/` from its addresses. Run by `make docs` through
mkdocs.yml.
"""

import re
from pathlib import Path

import click
from mkdocs.structure.files import File, Files
from mkdocs.utils import get_relative_url

from collio import cli

ROOT = Path(__file__).resolve().parents[1]
NO_PAGES = ("build", ".git", ".pytest_cache")
COMMANDS_PAGE = "docs/commands.md"
OUTSIDE_SCRIPT, OWN_SCRIPT = "https://unpkg.com/iframe-worker/shim", "site/iframe-worker.js"
LINK = re.compile(r"\]\(([^)#\s:]+)(?:#[^)]*)?\)")


def on_config(config):
    config.mdx_configs["toc"]["slugify"] = anchor
    return config


def on_files(files, config):
    """Every Markdown file of the repository, the page of commands, and the other files that pages link to."""
    ours = [file for file in files if file.src_dir != config.docs_dir]  # the theme's and the plugins'
    folders = [path for path in ROOT.iterdir() if path.is_dir() and path.name not in NO_PAGES]
    pages = sorted([*ROOT.glob("*.md"), *(page for folder in folders for page in folder.rglob("*.md"))])
    linked = {target for page in pages for target in linked_files(page)} - set(pages)
    ours += [
        repository_file(path, config)
        for path in [*pages, *sorted(linked), *sorted((ROOT / "docs/site").iterdir())]
    ]
    commands = File.generated(config, COMMANDS_PAGE, content=commands_text())
    commands.dest_uri = destination(COMMANDS_PAGE)
    return Files([*ours, commands])


def on_post_page(output, page, config):
    """The offline plugin's one script from another host comes from the site."""
    return output.replace(OUTSIDE_SCRIPT, get_relative_url(OWN_SCRIPT, page.url))


def on_post_template(output, template_name, config):
    return output.replace(OUTSIDE_SCRIPT, OWN_SCRIPT)


def anchor(heading: str, separator: str) -> str:
    """The anchor that GitHub gives to a heading, so that a link to it works in both places."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", separator)


def linked_files(page: Path):
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    for target in LINK.findall(text):
        path = (page.parent / target).resolve()
        if path.is_file():
            yield path


def repository_file(path: Path, config) -> File:
    name = path.relative_to(ROOT).as_posix()
    return File(name, str(ROOT), config.site_dir, use_directory_urls=False, dest_uri=destination(name))


def destination(name: str) -> str:
    """Where the site has a file: docs/start.md is start.html, README.md and bench/README.md are pages called
    index.html."""
    place = re.sub(r"^docs/", "", name)
    return re.sub(r"(^|/)README\.html$", r"\1index.html", re.sub(r"\.md$", ".html", place))


# --- the page of commands -----------------------------------------------------------------------


def commands_text() -> str:
    """What `collio COMMAND --help` prints, for every command, as Markdown."""
    top = click.Context(cli.main, info_name="collio")
    sections = [
        section for name in cli.COMMANDS for section in help_of(cli.main.get_command(top, name), name, top)
    ]
    return "# Commands\n\nThe output of `--help` for each command.\n\n" + "\n".join(sections)


def help_of(command, name: str, parent):
    """One section for a command and each command below it."""
    context = click.Context(command, info_name=name, parent=parent, terminal_width=80)
    yield f"## {context.command_path}\n\n```text\n{command.get_help(context)}\n```\n"
    for below in command.list_commands(context) if isinstance(command, click.Group) else ():
        yield from help_of(command.get_command(context, below), below, context)
