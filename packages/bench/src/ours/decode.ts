/**
 * This library's decoder of `session/update`, as a connection uses it.
 */
import * as Codec from "@effect-acp/core/schema/Codec"
import { SessionNotification } from "@effect-acp/core/schema/SessionUpdate"
import { nanosOf, notificationOf } from "../Decode.ts"
import type { Side } from "../Measurement.ts"
import { samples } from "../Workload.ts"

const { decode } = Codec.make(SessionNotification)
const ignore = () => {}

export const side: Side = {
  decode: async (scale) =>
    Object.fromEntries(
      Object.entries(samples).map(([kind, update]) => {
        const notification = notificationOf(update)
        return [kind, nanosOf(() => decode(notification, ignore), scale)]
      })
    )
}
