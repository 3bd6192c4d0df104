/**
 * A command that takes its time, for a terminal to show.
 */
for (const line of ["one", "two", "three", "four"]) {
  process.stdout.write(`${line}\n`)
  await new Promise((resolve) => setTimeout(resolve, 200))
}
