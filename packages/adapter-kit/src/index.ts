export * from './address.ts';
export * from './answer-groups.ts';
export * from './host-end.ts';
export * from './read-body.ts';
export * from './read-fields.ts';
export * from './request-json.ts';
export * from './unknown.ts';
export * from './within.ts';
