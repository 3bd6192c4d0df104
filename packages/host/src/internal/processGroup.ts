/**
 * Who is in a process group, where the system has files that tell.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"

/**
 * Whether anything of a group runs; none where the system does not say.
 *
 * A process that has ended stays in its group until its parent takes note of it, which the first process of some
 * containers never does. It can be signalled and is not there.
 */
export const runs = Effect.fnUntraced(function*(group: number) {
  const fs = yield* FileSystem.FileSystem
  const names = yield* Effect.option(fs.readDirectory("/proc"))
  const pids = Option.getOrElse(names, (): Array<string> => []).filter((name) => /^\d+$/.test(name))
  if (pids.length === 0) return Option.none<boolean>()
  const stats = yield* Effect.forEach(pids, (pid) => Effect.option(fs.readFileString(`/proc/${pid}/stat`)))
  return Option.some(stats.some((stat) => Option.isSome(stat) && isRunningMember(stat.value, group)))
})

// The name of the program, in parentheses, may hold anything; the state, the parent and the group come after it.
const isRunningMember = (stat: string, group: number): boolean => {
  const [state, , pgrp] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return Number(pgrp) === group && state !== "Z" && state !== "X"
}
