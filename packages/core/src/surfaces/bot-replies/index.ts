export { type Names, plainName, readNames } from '../../gating/naming/index.ts';
export {
  type AdminCommand,
  answerRules,
  answerShow,
  buttonsOf,
  changeCount,
  changeSetId,
  communityOfChangeSet,
  isAdminCommand,
  requireAdmin,
  runAdminCommand,
} from './admin-commands.ts';
export {
  answer,
  type BotAnswer,
  type BotButton,
  linkInWords,
  linkToChangeSet,
  linkToCommunity,
  linkToOwnRoles,
  linkToSecurity,
  linkToSetup,
  truncate,
  wordsOf,
} from './answer.ts';
export { decisionInWords, sharesInWords } from './change-set-words.ts';
export { findMember, isShownToMember, refusalInWords, whyNot, whyRoles } from './why.ts';
