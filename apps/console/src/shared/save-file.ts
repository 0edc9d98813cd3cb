/** Saves a file as a download. */
export function saveFile(name: string, type: string, parts: string[]): void {
  const url = URL.createObjectURL(new Blob(parts, { type }));
  const link = document.createElement('a');
  Object.assign(link, { href: url, download: name });
  link.click();
  // The browser has read it by the next turn of the event loop.
  setTimeout(() => URL.revokeObjectURL(url), 0);
}
