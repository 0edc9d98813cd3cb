/** A task that a person starts from their client's menu. The client sends its text to the model. */
interface McpPrompt {
  name: string;
  title: string;
  description: string;
  arguments: readonly { name: string; description: string; required: boolean }[];
  write(given: Readonly<Record<string, string>>): string;
}

const communityId = { name: 'communityId', description: 'The id of the community.', required: true };

export const prompts: readonly McpPrompt[] = [
  {
    name: 'explain_missing_role',
    title: 'Why do I not have a role?',
    description: 'Finds out what you need for a role of a community, and what you have.',
    arguments: [
      { name: 'community', description: 'The name or id of the community.', required: true },
      { name: 'role', description: 'The name of the role.', required: true },
    ],
    write: ({ community, role }) =>
      `I do not have the role ${quote(role)} in the community ${quote(community)}. Find the community with list_my_communities, ` +
      'call explain_my_roles for it, and say which condition I do not meet: what is needed, what I have, and at which block it was ' +
      'read. If something could not be read, say that instead of guessing. Name one thing I can do next.',
  },
  {
    name: 'draft_rule',
    title: 'Draft a rule',
    description: 'Turns a sentence into a rule, and tries it on a wallet before it is saved.',
    arguments: [
      communityId,
      { name: 'sentence', description: 'Who should get which role, in your words.', required: true },
    ],
    write: ({ communityId, sentence }) =>
      `Draft a rule for the community ${quote(communityId)}: ${quote(sentence)}. Read the documentation of the rule format with ` +
      'search_docs first. Show the rule, what explain_rule says about it, and what try_rule decides. Do not save it before I have ' +
      'seen how many members would gain and lose the role (previewRuleDraft) and agreed.',
  },
  {
    name: 'review_change_set',
    title: 'Review role changes',
    description: 'Summarizes a change set that waits for approval, before you decide.',
    arguments: [communityId, { name: 'changeSetId', description: 'The id of the change set.', required: true }],
    write: ({ communityId, changeSetId }) =>
      `Review the change set ${quote(changeSetId)} of the community ${quote(communityId)}: read it with getChangeSet, page by page. ` +
      'Say who caused it, how many members gain and lose each role and for which reasons, and what could not be checked. ' +
      'Then ask me whether to approve or reject it. Do neither without my answer.',
  },
];

/** What people enter is data, so it stays on one line and in quotes. */
function quote(value = ''): string {
  return JSON.stringify(value);
}
