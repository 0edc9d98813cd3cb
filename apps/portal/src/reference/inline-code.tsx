/** Text with `code` in it. */
export function inlineCode(text: string) {
  return text.split('`').map((part, index) => (index % 2 === 1 ? <code key={`${index}${part}`}>{part}</code> : part));
}
