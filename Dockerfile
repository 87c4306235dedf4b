FROM python:3.12-slim AS wheels
WORKDIR /irmx
COPY . .
RUN python -m pip wheel --no-cache-dir --wheel-dir /wheels -r install.txt

FROM python:3.12-slim
RUN --mount=type=bind,from=wheels,source=/wheels,target=/wheels \
    python -m pip install --no-cache-dir --no-index /wheels/*.whl && useradd --create-home irmx
USER irmx
WORKDIR /data
ENTRYPOINT ["irmx"]
