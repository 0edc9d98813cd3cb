/** The closed list of events that client applications can subscribe to. */
export const events = {
  'client-app.status-changed': 'The status of the client application changed, for example from PENDING to APPROVED.',
  'client-app.api-key-reset': 'The API key of the client application was replaced.',
  'client-app.deleted': 'The client application was deleted.',
  'organization.verified': 'The organization confirmed its e-mail address.',
} as const;

export type EventType = keyof typeof events;

export function isEventType(type: string): type is EventType {
  return Object.hasOwn(events, type);
}
