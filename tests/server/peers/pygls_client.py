"""Drives `gpulint server` with the client of pygls, which checks every message against the types of the protocol.

    python pygls_client.py path/to/gpulint folder

Works on train.py in the folder. Prints one line for each step.
"""

import asyncio
import pathlib
import sys

from lsprotocol import types
from pygls.lsp.client import LanguageClient

WAIT = 60


async def main(gpulint: str, folder: pathlib.Path) -> None:
    client = LanguageClient("gpulint-test", "1")
    published: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
    watched: asyncio.Queue[types.RegistrationParams] = asyncio.Queue()

    @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    def on_diagnostics(params: types.PublishDiagnosticsParams) -> None:
        published.put_nowait(params)

    @client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def on_registration(params: types.RegistrationParams) -> None:
        watched.put_nowait(params)

    async def findings(version: int) -> list[types.Diagnostic]:
        while True:
            params = await asyncio.wait_for(published.get(), WAIT)
            if params.version == version:
                return list(params.diagnostics)

    await client.start_io(gpulint, "server", cwd=str(folder))
    actions = types.ClientCodeActionLiteralOptions(types.ClientCodeActionKindOptions(["quickfix"]))
    capabilities = types.ClientCapabilities(
        workspace=types.WorkspaceClientCapabilities(
            did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True),
        ),
        text_document=types.TextDocumentClientCapabilities(
            code_action=types.CodeActionClientCapabilities(code_action_literal_support=actions),
        ),
        general=types.GeneralClientCapabilities(position_encodings=[types.PositionEncodingKind.Utf32]),
    )
    greeting = await client.initialize_async(
        types.InitializeParams(
            capabilities=capabilities,
            workspace_folders=[types.WorkspaceFolder(folder.as_uri(), folder.name)],
        )
    )
    print("server", greeting.server_info.name, "counts in", str(greeting.capabilities.position_encoding))
    client.initialized(types.InitializedParams())
    registration = (await asyncio.wait_for(watched.get(), WAIT)).registrations[0]
    print("watches by", registration.method)

    script = folder / "train.py"
    uri, text = script.as_uri(), script.read_text(encoding="utf-8")
    document = types.TextDocumentItem(uri, "python", 1, text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(document))
    (finding,) = await findings(1)
    print("found", finding.code, "on line", finding.range.start.line + 1, "by", finding.source)

    identifier = types.TextDocumentIdentifier(uri)
    hover = await client.text_document_hover_async(types.HoverParams(identifier, finding.range.start))
    print("hover", hover.contents.value.splitlines()[0].split("(")[0])
    offered = await client.text_document_code_action_async(
        types.CodeActionParams(identifier, finding.range, types.CodeActionContext([finding]))
    )
    print("action", offered[0].title)
    (edit,) = offered[0].edit.changes[uri]
    change = types.TextDocumentContentChangePartial(edit.range, edit.new_text)
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(types.VersionedTextDocumentIdentifier(version=2, uri=uri), [change])
    )
    assert await findings(2) == []
    print("found nothing")
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], pathlib.Path(sys.argv[2])))
