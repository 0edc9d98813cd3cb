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
export {
  createMiniApp,
  type FollowUp,
  FollowUpError,
  followUpOn,
  isSignedCall,
  type Metadata,
  type MiniApp,
  type MiniAppOptions,
  type ServerKeys,
  type Tools,
} from './mini-app.ts';
export { type PermissionRequest, permissionAnswer, permissionQuestion, serverOf } from './permissions.ts';
