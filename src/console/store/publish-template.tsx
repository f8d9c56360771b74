import { type DragEvent, useRef, useState } from 'react';
import { Link } from 'wouter';
import { ActionDialog } from '../act/dialog.tsx';
import { Notice } from '../ui/blocks.tsx';
import { Button } from '../ui/controls.tsx';
import { text } from './strings.ts';

const { labels } = text;

/** Publishes a version of a template from its document, which is pasted, dropped or chosen. */
export function PublishTemplateDialog({ draft, close }: { draft: string; close(): void }) {
  const [file, setFile] = useState('');
  const picker = useRef<HTMLInputElement>(null);
  const take = async (files: FileList | null) => {
    const [first] = files ?? [];
    if (first) setFile(await first.text());
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    void take(event.dataTransfer.files);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a file can be chosen with the button as well
    <div onDragOver={(event) => event.preventDefault()} onDrop={drop}>
      <ActionDialog
        // Another file is another form.
        key={file}
        draft={file === '' ? draft : undefined}
        close={close}
        action={{
          label: text.publish,
          title: text.publishTemplate,
          intro: text.publishTemplateIntro,
          mutation: 'publishTemplate',
          form: {
            first: ['template'],
            more: ['rest'],
            labels,
            fields: {
              template: { label: text.document, kind: 'area', hint: text.documentHint, value: file },
              description: { kind: 'area', hint: undefined },
              isEnabled: { value: true, hint: undefined },
              versionDescription: { kind: 'area', hint: undefined },
            },
          },
          target: {},
          summary: () => (
            <div>
              <input
                ref={picker}
                type="file"
                accept="application/json,.json"
                hidden
                aria-label={text.chooseFile}
                onChange={({ target }) => void take(target.files)}
              />
              <Button look="small" onClick={() => picker.current?.click()}>
                {text.chooseFile}
              </Button>
            </div>
          ),
          result: (payload) => <Published payload={payload} />,
        }}
      />
    </div>
  );
}

/** The published version, with a link to it. */
export function Published({ payload }: { payload: unknown }) {
  const { template, version } = payload as {
    template: { uid: number; name: string };
    version: { version: string };
  };
  return (
    <Notice tone="good">
      {text.published(template.name, version.version)}{' '}
      <Link href={`/templates/${template.uid}`}>{text.openTemplate}</Link>
    </Notice>
  );
}
