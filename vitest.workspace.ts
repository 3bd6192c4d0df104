import { defineConfig } from "vitest/config"

const project = (name: string, root = `packages/${name}`, retry = 0) => ({
  root,
  test: {
    name,
    include: ["test/**/*.test.ts"],
    retry
  }
})

/** Its tests start real processes, which a busy machine may hold up: one more try, which the closing lines tell of. */
const withProcesses = (name: string) => project(name, `packages/${name}`, 1)

export default defineConfig({
  test: {
    reporters: ["default", "./scripts/SummaryReporter.ts"],
    projects: [
      project("house", "."),
      project("core"),
      withProcesses("host"),
      project("testing"),
      withProcesses("tck"),
      withProcesses("examples"),
      project("bench")
    ]
  }
})
