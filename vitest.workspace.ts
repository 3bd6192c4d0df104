import { defineConfig } from "vitest/config"

const project = (name: string, root = `packages/${name}`) => ({
  root,
  test: {
    name,
    include: ["test/**/*.test.ts"]
  }
})

export default defineConfig({
  test: {
    reporters: ["default", "./scripts/SummaryReporter.ts"],
    projects: [
      project("house", "."),
      project("core"),
      project("host"),
      project("testing"),
      project("tck"),
      project("examples"),
      project("bench")
    ]
  }
})
