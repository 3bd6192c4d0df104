import { defineConfig } from "vitest/config"

const project = (name: string) => ({
  root: `packages/${name}`,
  test: {
    name,
    include: ["test/**/*.test.ts"]
  }
})

export default defineConfig({
  test: {
    reporters: ["default", "./scripts/SummaryReporter.ts"],
    projects: ["core", "host", "testing", "examples"].map(project)
  }
})
