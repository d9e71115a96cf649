import "../view_code.ts";
import { queryOf } from "../data/filters.ts";
import { useFragment } from "../data/fragment.ts";
import { useList } from "../data/lists.ts";
import { Segmented } from "../kit/Segmented.tsx";
import { sortParam } from "../kit/sort.ts";
import { Split } from "../kit/Split.tsx";
import { EndpointDetail } from "./EndpointDetail.tsx";
import { EndpointList } from "./EndpointList.tsx";
import { QueryList } from "./QueryList.tsx";

/** Of an application. */
const KEY = /^(sightglass|[\da-f]{14})$/;

const SHAPES = [[undefined, "Endpoints"], ["queries", "Queries"]] as const;
const actions = <Segmented label="Shown as" name="as" choices={SHAPES} />;

/**
 * The view of endpoints: the list (`#/endpoints`), one of them (`#/endpoints/APPLICATION/NAME/OPERATION`), and what they
 * ask databases (`?as=queries`).
 */
export default function EndpointsView() {
  const { path, params } = useFragment();
  const [application, name, op = null] = path;
  const sort = sortParam(params, "endpoints") ?? "-duration";
  const query = queryOf(params, "endpoints");
  const list = useList("endpoints", { ...query, sort });
  const isOpen = application !== undefined && KEY.test(application) && name !== undefined;
  const key = isOpen ? JSON.stringify(path) : undefined;
  return (
    <Split
      look="covers"
      list={params.get("as") === "queries"
        ? <QueryList actions={actions} />
        : <EndpointList list={list} query={query} sort={sort} openKey={key} actions={actions} />}
      detail={isOpen && <EndpointDetail key={key} id={{ application, name, op }} list={list} />}
    />
  );
}
