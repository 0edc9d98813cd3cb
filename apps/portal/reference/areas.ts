/** The areas of our own operations, which would be too many for one page. The first that fits counts. */
const areas: readonly { name: string; paths: RegExp }[] = [
  {
    name: 'latchkey-rules',
    paths: /^\/latchkey\/(?:communities\/\{\w+\}\/(?:rules|rule-\w+|tokens|token-picture)|rule-files)(?:\/|$)/,
  },
  {
    name: 'latchkey-role-changes',
    paths:
      /^\/latchkey\/communities\/\{\w+\}\/(?:change-sets|role-\w+|roles|members\/\{\w+\}\/(?:roles|roles-at|timeline))(?:\/|$)/,
  },
  { name: 'latchkey-shadow-mode', paths: /^\/latchkey\/communities\/\{\w+\}\/shadow-mode(?:\/|$)/ },
  { name: 'latchkey-members', paths: /^\/latchkey\/communities\/\{\w+\}\/(?:members|member-\w+|guest-passes)(?:\/|$)/ },
  {
    name: 'latchkey-communities',
    paths: /^\/latchkey\/(?:communities|bot-invitations|telegram-join-requests)(?:\/|$)/,
  },
  { name: 'latchkey-account', paths: /^\/latchkey\/account(?:\/|$)/ },
  { name: 'latchkey-sessions', paths: /^\/latchkey\/(?:session|handoffs)(?:\/|$)/ },
  { name: 'latchkey-apps', paths: /^\/latchkey\/(?:client-apps|dev-orgs)(?:\/|$)/ },
  { name: 'latchkey-miniapps', paths: /^\/latchkey\/miniapps(?:\/|$)/ },
  { name: 'latchkey-plans', paths: /^\/latchkey\/(?:plans|treasuries)(?:\/|$)/ },
  { name: 'latchkey-playgrounds', paths: /^\/latchkey\/playgrounds(?:\/|$)/ },
  { name: 'latchkey-operator', paths: /^\/latchkey\/(?:operator|audit-log|live)(?:\/|$)/ },
];
/** The resource that is split into areas. */
export const splitResource = 'latchkey';
const rest = 'latchkey-more';

/** Returns the page that lists an operation: that of its resource, or of its area. */
export function areaOf(resource: string, path: string): string {
  if (resource !== splitResource) return resource;
  return areas.find(({ paths }) => paths.test(path))?.name ?? rest;
}
