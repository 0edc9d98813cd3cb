export { type Names, plainName, readNames } from '../../gating/naming/index.ts';
export { type AdminWord, isAdminWord, requireAdmin, runAdminWord } from './admin-words.ts';
export { answer, type BotAnswer, type BotButton, wordsOf } from './answer.ts';
export { linkToCommunity, linkToPlan } from './console-links.ts';
export { findMember } from './find-member.ts';
export { changeCount, planId } from './inputs.ts';
export { buttonsOf, communityOfPlan, showPlan } from './plan-commands.ts';
export { decisionInWords, sharesInWords } from './plan-words.ts';
export { isShownToMember, whyNot, whyRoles } from './why.ts';
