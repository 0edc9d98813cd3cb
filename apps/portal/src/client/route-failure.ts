/** The color of a fatal error. */
const red = '#fa383e';

/**
 * The theme shows nothing when a part of the first page cannot be loaded: what the server sent stays, but nothing in it works. So the error
 * is shown above what can still be read.
 */
function showFailure(error: Error): void {
  if (document.getElementById('route-failure') !== null) return;
  const box = document.createElement('div');
  box.id = 'route-failure';
  box.setAttribute('role', 'alert');
  Object.assign(box.style, {
    margin: '5rem auto',
    padding: '1rem',
    width: 'min(90%, 40rem)',
    borderRadius: '0.25rem',
    textAlign: 'center',
    overflowWrap: 'anywhere',
    fontSize: '1.2rem',
    fontWeight: '700',
    color: '#fff',
    backgroundColor: red,
  });
  const text = document.createElement('p');
  text.textContent = String(error);
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Retry';
  button.addEventListener('click', () => window.location.reload());
  box.append(text, button);
  document.body.prepend(box);
}

function isOfChunk(reason: unknown): reason is Error {
  if (!(reason instanceof Error)) return false;
  return reason.name === 'ChunkLoadError' || ('code' in reason && reason.code === 'CSS_CHUNK_LOAD_FAILED');
}

if (typeof window !== 'undefined')
  window.addEventListener('unhandledrejection', ({ reason }) => {
    const hasStarted = document.documentElement.dataset.hasHydrated === 'true';
    if (!hasStarted && isOfChunk(reason)) showFailure(reason);
  });

export {};
