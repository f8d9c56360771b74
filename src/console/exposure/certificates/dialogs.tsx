import { dialogOf } from '../../act/dialog.tsx';
import type { DialogProps } from '../../act/dialog-frame.tsx';
import { wordsOf } from '../../act/words.ts';
import type { FragmentOf } from '../../api/graphql.ts';
import type { CertificateParts } from '../../documents/certificates.ts';
import type { Field, Values } from '../../form/values.ts';
import { inputOfPem, sortPem } from './pem.ts';
import { text } from './strings.ts';

export type Certificate = FragmentOf<typeof CertificateParts>;

/** The certificate with its issuers, and its key, unless the key is among what was entered as the certificate. */
function pemFields({ chain = '' }: Values): Field[] {
  const hasKey = sortPem(String(chain)).keys.length > 0;
  return [
    {
      name: 'chain',
      label: text.fields.certificate,
      kind: 'file',
      isMultiple: true,
      required: true,
      placeholder: text.paste,
      hint: text.hints.certificate,
      below: hasKey && <p role="status">{text.hasKey}</p>,
    },
    ...(hasKey
      ? []
      : [
          {
            name: 'key',
            label: text.fields.key,
            kind: 'file',
            required: true,
            placeholder: text.pasteKey,
            hint: text.hints.key,
          } satisfies Field,
        ]),
  ];
}

const pemOf = ({ chain, key = '' }: Values) => inputOfPem(String(chain), String(key));

interface AddProps {
  /** The global id of the team. */
  team: string;
  close(): void;
  /** Called with the new certificate, instead of saying that it was added. */
  added?(certificate: Certificate): void;
}

export function AddCertificateDialog({ team, close, added }: AddProps) {
  return dialogOf(close, {
    ...wordsOf(text, 'add'),
    mutation: 'addCertificate',
    fields: (values) => [
      ...pemFields(values),
      { name: 'name', label: text.fields.name, hint: text.hints.name },
    ],
    input: (values) => ({
      team: { id: team },
      ...pemOf(values),
      ...(values.name && { name: String(values.name) }),
    }),
    done: (payload) => added?.((payload as { certificate: Certificate }).certificate),
  });
}

export function ReplaceCertificateDialog({
  certificate: { id, name, revision },
  close,
}: DialogProps<{ certificate: Certificate }>) {
  return dialogOf(close, {
    ...wordsOf(text, 'replace', name),
    mutation: 'replaceCertificate',
    fields: pemFields,
    input: (values) => ({ certificate: { id }, expectedRevision: revision, ...pemOf(values) }),
  });
}
