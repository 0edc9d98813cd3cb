export { isSignedByUs, type ReceivedSignature, signatureWindowMs } from './action-signature.ts';
export {
  decideMiniApp,
  listMiniApps,
  type MiniAppDecision,
  miniAppDecisions,
  pageOfMiniApps,
  probeAgain,
} from './decide.ts';
export { examineMiniApps } from './examine.ts';
export { miniappsFeature } from './feature.ts';
export { type Forwarded, findApp, forwardInteraction } from './forward.ts';
export { MiniAppRegistration, type MiniAppStatus, miniAppStatuses } from './mini-app.ts';
export { answerPermission, askPermission, isPermissionButton } from './permissions.ts';
export { tellMemberNews } from './tell-members.ts';
