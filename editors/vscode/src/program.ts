// Where the program is that checks. Nothing of the editor is used here, so that it can be tested without one.

import * as fs from "node:fs";
import * as path from "node:path";

/** What decides which program it is. */
export interface Surroundings {
  /** The setting `gpulint.path`; empty when nobody set it. */
  readonly setting: string;
  /** The folders of the workspace, in their order. */
  readonly folders: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly isFile: (file: string) => boolean;
}

/** Names of folders in which virtual environments usually lie. */
const ENVIRONMENTS = [".venv", "venv", "env"];

/**
 * The path of the program: the one that the setting names, else that of an environment of the workspace, else that in PATH.
 *
 * @returns `undefined` when there is none. What the setting names is returned without looking, since a message about it is worth
 * more than another program.
 */
export function find(around: Surroundings): string | undefined {
  if (around.setting !== "") {
    return named(around.setting, around);
  }
  const at = around.platform === "win32" ? path.win32 : path.posix;
  const [scripts, file] = around.platform === "win32" ? ["Scripts", "gpulint.exe"] : ["bin", "gpulint"];
  const environments = around.folders.flatMap((folder) => ENVIRONMENTS.map((name) => at.join(folder, name)));
  if (around.env.VIRTUAL_ENV) {
    environments.push(around.env.VIRTUAL_ENV);
  }
  const inPath = (around.env.PATH ?? around.env.Path ?? "").split(at.delimiter).filter((folder) => folder !== "");
  const candidates = [...environments.map((folder) => at.join(folder, scripts)), ...inPath];
  return candidates.map((folder) => at.join(folder, file)).find(around.isFile);
}

/** What a setting may hold: a home directory, the first folder of the workspace, and a path from there. */
function named(setting: string, around: Surroundings): string {
  const at = around.platform === "win32" ? path.win32 : path.posix;
  const folder = around.folders[0] ?? "";
  const home = around.env.HOME ?? around.env.USERPROFILE ?? "";
  const whole = setting.replace(/^~(?=$|[\\/])/, home).replaceAll("${workspaceFolder}", folder);
  const isPath = /[\\/]/.test(whole);
  return isPath && !at.isAbsolute(whole) ? at.join(folder, whole) : whole;
}

export function isFile(file: string): boolean {
  try {
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
