/** Returns the path of a resource in the API reference. */
export function tagPath(tag: string): string {
  return `/apis/${tag}`;
}

/** Returns the anchor of an operation on its page, in the form that other OpenAPI viewers use. */
export function operationAnchor(tag: string, operationId: string): string {
  return `tag/${tag}/operation/${operationId}`;
}

export function operationPath(tag: string, operationId: string): string {
  return `${tagPath(tag)}#${operationAnchor(tag, operationId)}`;
}
