/** Returns the path of a resource in the API reference. */
export function tagPath(tag: string): string {
  return `/apis/${tag}`;
}

/** Returns the path of an operation's own page. */
export function operationPath(tag: string, operationId: string): string {
  return `${tagPath(tag)}/${operationId}`;
}

/** Returns the id of an operation in a list and of its parts on its page, in the form that other OpenAPI viewers use. */
export function operationAnchor(tag: string, operationId: string): string {
  return `tag/${tag}/operation/${operationId}`;
}
