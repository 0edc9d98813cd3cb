import type { NoticePage as Notice } from '@latchkey/kernel';

export function NoticePage({ data }: { data: Notice }) {
  return (
    <section className="card">
      <h1>{data.title}</h1>
      <p>{data.text}</p>
      {data.command !== undefined && <pre>{data.command}</pre>}
      {data.link && (
        <p>
          <a href={data.link.url}>{data.link.text}</a>
        </p>
      )}
    </section>
  );
}
