/**
 * Prints the method tables as Markdown; `docs/methods.md` holds exactly this.
 */
import { markdown } from "../packages/core/test/methodsMarkdown.ts"

process.stdout.write(markdown())
