-- Runs inside Neovim: opens a file, lets its own client start `gpulint server`, and says what the editor then shows.
--
--   GPULINT=path/to/gpulint nvim --headless -u NONE -l neovim.lua    (0.9 and later; before: -c 'luafile neovim.lua')
--
-- Works in the current folder, on train.py. Prints one line for each step.

local say = function(line)
  io.stdout:write(line .. "\n")
end

local leave = function(code)
  vim.cmd(code == 0 and "qall!" or "cquit")
end

local wait = function(what, ready)
  if not vim.wait(60000, ready, 20) then
    say("waited in vain for " .. what)
    leave(1)
  end
end

local command = { vim.env.GPULINT, "server" }
vim.cmd("edit train.py")
vim.bo.filetype = "python"
if vim.lsp.config and vim.lsp.enable then
  vim.lsp.config("gpulint", {
    cmd = command,
    filetypes = { "python" },
    root_markers = { "gpulint.yaml", "pyproject.toml", ".git" },
  })
  vim.lsp.enable("gpulint")
  -- The event came before somebody listened.
  vim.api.nvim_exec_autocmds("FileType", { pattern = "python" })
  say("client vim.lsp.config")
else
  local client = vim.lsp.start_client({ name = "gpulint", cmd = command, root_dir = vim.fn.getcwd() })
  vim.lsp.buf_attach_client(0, client)
  say("client vim.lsp.start_client")
end

local found = function(count)
  return function()
    return #vim.diagnostic.get(0) == count
  end
end

wait("the finding", found(1))
local finding = vim.diagnostic.get(0)[1]
say(("found %s on line %d by %s"):format(finding.code, finding.lnum + 1, finding.source))

-- The cursor on the finding: what the editor would show, and offer.
vim.api.nvim_win_set_cursor(0, { finding.lnum + 1, 0 })
local here = function()
  return { textDocument = vim.lsp.util.make_text_document_params(), position = { line = finding.lnum, character = 2 } }
end
local hover
vim.lsp.buf_request(0, "textDocument/hover", here(), function(_, result)
  hover = result or false
end)
wait("the page of the rule", function()
  return hover ~= nil
end)
say("hover " .. hover.contents.value:match("^[^\n]*"):gsub("%[(.-)%]%(.-%)", "%1"))

local actions
local params = here()
params.position = nil
params.range = { start = here().position, ["end"] = here().position }
params.context = { diagnostics = {} }
vim.lsp.buf_request(0, "textDocument/codeAction", params, function(_, result)
  actions = result or {}
end)
wait("the actions", function()
  return actions ~= nil
end)
say("action " .. actions[1].title)
-- An editor that can ask for the change later gets it later.
local action = actions[1]
if not action.edit then
  local resolved
  vim.lsp.buf_request(0, "codeAction/resolve", action, function(_, result)
    resolved = result or {}
  end)
  wait("the change of the action", function()
    return resolved ~= nil
  end)
  action = resolved
end
vim.lsp.util.apply_workspace_edit(action.edit, "utf-16")
say("line " .. vim.api.nvim_buf_get_lines(0, finding.lnum, finding.lnum + 1, false)[1])
wait("the finding to go", found(0))
say("found nothing")
leave(0)
