/**
 * A command that takes its time, for a terminal to show.
 */
for (const [index, line] of ["one", "two", "three", "four"].entries()) {
  setTimeout(() => process.stdout.write(`${line}\n`), index * 200)
}
