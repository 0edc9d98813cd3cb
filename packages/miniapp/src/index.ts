export { type FollowUp, FollowUpError, followUpOn } from './follow-up.ts';
export {
  type ActionContext,
  type Interaction,
  type InteractionResponse,
  type Message,
  type MiniAppEvent,
  optionOf,
  say,
  type User,
} from './interaction.ts';
export type { ServerKeys } from './keys.ts';
export { createMiniApp, type Metadata, type MiniApp, type MiniAppOptions, type Tools } from './mini-app.ts';
export { type PermissionRequest, permissionAnswer, permissionQuestion, serverOf } from './permissions.ts';
export { isSignedCall } from './verify-call.ts';
