/**
 * Packs every public package as it would be published and checks the result: entry points, files and types.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const root = join(import.meta.dirname, "..")

const run = (command: string, args: ReadonlyArray<string>, cwd: string): void => {
  execFileSync(command, args, { cwd, stdio: ["ignore", "inherit", "inherit"] })
}

const isPublic = (directory: string): boolean =>
  JSON.parse(readFileSync(join(directory, "package.json"), "utf8")).private !== true

const packages = readdirSync(join(root, "packages")).map((name) => join(root, "packages", name)).filter(isPublic)

for (const directory of packages) {
  const target = mkdtempSync(join(tmpdir(), "effect-acp-pack-"))
  run("pnpm", ["pack", "--pack-destination", target], directory)
  const [tarball] = readdirSync(target)
  run("pnpm", ["exec", "publint", join(target, tarball), "--strict"], root)
  run("pnpm", ["exec", "attw", join(target, tarball), "--profile", "esm-only"], root)
  rmSync(target, { recursive: true })
}
