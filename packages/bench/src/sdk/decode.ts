/**
 * The SDK's validator of `session/update`, as its connection uses it. The package does not export it.
 */
import { nanosOf, notificationOf } from "../Decode.ts"
import type { Side } from "../Measurement.ts"
import { samples } from "../Workload.ts"

interface Validator {
  readonly safeParse: (value: unknown) => { readonly success: boolean }
  readonly parse: (value: unknown) => unknown
}

const validators = new URL("../schema/zod.gen.js", import.meta.resolve("@agentclientprotocol/sdk"))
const { zSessionNotification } = await import(validators.href) as { readonly zSessionNotification: Validator }

/** An update of an unknown kind is an exception on this side, as it is for the SDK's connection. */
const parse = (notification: unknown) => {
  try {
    return zSessionNotification.parse(notification)
  } catch (error) {
    return error
  }
}

export const side: Side = {
  decode: async (scale) =>
    Object.fromEntries(
      Object.entries(samples).map(([kind, update]) => {
        const notification = notificationOf(update)
        return [kind, nanosOf(() => parse(notification), scale)]
      })
    )
}
