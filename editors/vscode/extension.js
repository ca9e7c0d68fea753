// Starts `mazurka lsp` and hands it to the editor.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = function () {
  const command = workspace.getConfiguration("mazurka").get("path");
  const server = { command, args: ["lsp"] };
  const options = { documentSelector: [{ language: "mazurka-ed" }] };
  client = new LanguageClient("mazurka", "Mazurka", server, options);
  return client.start();
};

exports.deactivate = function () {
  return client && client.stop();
};
