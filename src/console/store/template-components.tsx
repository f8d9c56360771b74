import { useEffect, useState } from 'react';
import { currentToken } from '../api/session.ts';
import { Notice, Section } from '../ui/blocks.tsx';
import { Table } from '../ui/table.tsx';
import { text } from './strings.ts';

interface Component {
  service_key: string;
  service_cname: string;
  share_image?: string;
  image?: string;
  port_map_list?: readonly { container_port: number }[];
}

/** The components of a version of a template, which the store of this platform offers as a document. */
export function TemplateComponents({ templateKey, version }: { templateKey: string; version: string }) {
  const components = useComponents(templateKey, version);
  return (
    <Section title={text.components} count={components?.length}>
      {components === undefined ? (
        <Notice tone="idle">{text.unknownComponents}</Notice>
      ) : (
        <Table
          label={text.components}
          columns={text.componentColumns}
          empty={text.noComponents}
          rows={components}
          keyOf={(component) => component.service_key}
          classes={{ ports: 'mono soft' }}
          cells={(component) => ({
            name: component.service_cname,
            image: <code className="break">{component.share_image || component.image}</code>,
            ports: component.port_map_list?.map(({ container_port }) => container_port).join(', ') || '–',
          })}
        />
      )}
    </Section>
  );
}

/** Undefined while they are read, and if they cannot be read. */
function useComponents(key: string, version: string): readonly Component[] | undefined {
  const [components, setComponents] = useState<readonly Component[]>();
  useEffect(() => {
    const aborter = new AbortController();
    const token = currentToken();
    const steps = ['apps', key, 'versions', version].map(encodeURIComponent).join('/');
    const load = async () => {
      const response = await fetch(`/app-server/openapi/${steps}`, {
        // In the store protocol, the token has no scheme.
        headers: { Accept: 'application/json', ...(token !== null && { Authorization: token }) },
        signal: aborter.signal,
      });
      if (!response.ok) return;
      const { template } = (await response.json()) as { template: string };
      setComponents((JSON.parse(template) as { apps: Component[] }).apps);
    };
    // Who cannot read it sees the note.
    load().catch(() => {});
    return () => aborter.abort();
  }, [key, version]);
  return components;
}
