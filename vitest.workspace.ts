import { defineConfig } from "vitest/config"

const project = (name: string, root = `packages/${name}`, testTimeout = 5_000) => ({
  root,
  test: {
    name,
    include: ["test/**/*.test.ts"],
    testTimeout
  }
})

/** Its tests start real processes, which a busy machine may hold up. */
const withProcesses = (name: string) => project(name, `packages/${name}`, 30_000)

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
