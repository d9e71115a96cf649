import { settingRows, type Settings } from "./setting_rows.ts";

/** The monitoring settings as they are in force. */
export function SettingsTable({ settings }: { settings: Settings }) {
  return (
    <table className="in-force">
      <caption>Monitoring settings in force</caption>
      <thead className="vh">
        <tr>
          <th scope="col">Setting</th>
          <th scope="col">Value</th>
        </tr>
      </thead>
      <tbody>
        {settingRows(settings).map(({ name, value, of }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>
              <b>{value}</b>
              {of && <small>{of}</small>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
