import Link from '@docusaurus/Link';
import { HtmlClassNameProvider, PageMetadata } from '@docusaurus/theme-common';
import BlogLayout from '@theme/BlogLayout';
import BlogListPaginator from '@theme/BlogListPaginator';
import BlogPostItems from '@theme/BlogPostItems';
import type { Props } from '@theme/BlogTagsPostsPage';
import Heading from '@theme/Heading';
import SearchMetadata from '@theme/SearchMetadata';

export default function BlogTagsPostsPage({ tag, items, sidebar, listMetadata }: Props) {
  const title = `Posts tagged ${tag.label}`;
  const count = tag.count === 1 ? 'One post.' : `${tag.count} posts.`;
  return (
    <HtmlClassNameProvider className="blog-wrapper blog-tags-post-list-page">
      <PageMetadata title={title} {...(tag.description === undefined ? {} : { description: tag.description })} />
      <SearchMetadata tag="blog_tags_posts" />
      <BlogLayout sidebar={sidebar}>
        <header className="margin-bottom--xl">
          <Heading as="h1">{title}</Heading>
          <p>
            {tag.description} {count} <Link to={tag.allTagsPath}>All tags</Link>
          </p>
        </header>
        <BlogPostItems items={items} />
        <BlogListPaginator metadata={listMetadata} />
      </BlogLayout>
    </HtmlClassNameProvider>
  );
}
