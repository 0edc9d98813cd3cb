/** The parts of a page that is too long to be read as one, in display order. */
const sections: readonly { title: string; paths: RegExp }[] = [
  {
    title: 'Rules',
    paths: /^\/latchkey\/(?:communities\/\{\w+\}\/(?:rules|rule-\w+|tokens|token-picture)|rule-files)(?:\/|$)/,
  },
  {
    title: 'Role changes',
    paths:
      /^\/latchkey\/communities\/\{\w+\}\/(?:role-\w+|roles|members\/\{\w+\}\/(?:roles|roles-at|timeline))(?:\/|$)/,
  },
  { title: 'Moving from another bot', paths: /^\/latchkey\/communities\/\{\w+\}\/shadow-mode(?:\/|$)/ },
  { title: 'Members', paths: /^\/latchkey\/communities\/\{\w+\}\/(?:members|member-\w+|guest-passes)(?:\/|$)/ },
  { title: 'Communities', paths: /^\/latchkey\/(?:communities|bot-invitations|telegram-join-requests)(?:\/|$)/ },
  { title: 'The signed-in user', paths: /^\/latchkey\/account(?:\/|$)/ },
  { title: 'Signing in', paths: /^\/latchkey\/(?:session|handoffs)(?:\/|$)/ },
  { title: 'Applications', paths: /^\/latchkey\/(?:client-apps|dev-orgs)(?:\/|$)/ },
  { title: 'Mini-apps', paths: /^\/latchkey\/miniapps(?:\/|$)/ },
  { title: 'Plans and wallets of communities', paths: /^\/latchkey\/(?:plans|treasuries)(?:\/|$)/ },
  { title: 'Operating the server', paths: /^\/latchkey\/(?:operator|audit-log|live)(?:\/|$)/ },
];
const rest = 'More';
/** Shorter pages need no parts. */
const longPage = 40;

export interface Section<Item> {
  title: string;
  anchor: string;
  operations: Item[];
}

/** Splits the operations of a page into its parts; one without a title if the page is short. */
export function splitIntoSections<Item extends { path: string }>(operations: readonly Item[]): Section<Item>[] {
  if (operations.length < longPage) return [{ title: '', anchor: '', operations: [...operations] }];
  const titleOf = ({ path }: Item) => sections.find(({ paths }) => paths.test(path))?.title ?? rest;
  return [...sections.map(({ title }) => title), rest]
    .map((title) => ({
      title,
      anchor: `section/${title.toLowerCase().replaceAll(/\W+/g, '-')}`,
      operations: operations.filter((operation) => titleOf(operation) === title),
    }))
    .filter((section) => section.operations.length > 0);
}
