/**
 * The methods of the protocol layer, which either side may send and the connection itself handles.
 *
 * @since 0.1.0
 */
import * as MethodTable from "./MethodTable.ts"
import * as Cancel from "./schema/Cancel.ts"

/**
 * Asks the peer to cancel a request that it is serving.
 *
 * @category rows
 * @since 0.1.0
 */
export const cancelRequest = MethodTable.notification("$/cancel_request", {
  direction: "both",
  layer: "protocol",
  params: MethodTable.named<Cancel.CancelRequestNotification>(Cancel.CancelRequestNotification)
})

/**
 * The rows of the protocol layer.
 *
 * @category groups
 * @since 0.1.0
 */
export const ProtocolMethods = MethodTable.group(cancelRequest)
