export { type ConnectLink, connectLinkMinutes, createConnectLink, type LinkedPerson } from './create.ts';
export { openConnectLink } from './open.ts';
