/** Lets the browser breathe, and the reader press something, between the client's own start and that of the page. */
export default function startClient(source: string): string {
  const breathing = source.replace(
    'preload(window.location.pathname)',
    'new Promise((go) => setTimeout(go)).then(() => preload(window.location.pathname))',
  );
  if (breathing === source)
    throw new Error('Docusaurus starts its client in another way now. Look at plugins/loaders/start-client.ts.');
  return breathing;
}
